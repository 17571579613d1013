import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Supervisor } from "./supervisor.js";
import { targetGroups } from "./targets/targets.js";

// On a slow machine, a child takes a while to load all sources.
const timeout = 300_000;

it.each([
  ["work that grows with the square of the input", "planted-quadratic", /took \d+ ms of CPU; \d+ allowed/],
  ["memory far beyond the input", "planted-memory", /used \d+ MB; \d+ allowed/],
  ["a full heap", "planted-crash", /ended the process with SIGABRT/],
  ["a stack overflow", "planted-overflow", /threw RangeError/],
  ["a changed prototype", "planted-prototype", /changed Object\.prototype/],
  ["a socket left open", "planted-socket", /left open: 1 × TCPServerWrap/],
  ["an uncaught exception", "planted-exception", /ended the process with 1: [^]*planted/],
  ["an unhandled rejection", "planted-rejection", /ended the process with 1: [^]*planted/],
])("the adversary finds %s", { timeout }, async (_what, target, problem) => {
  using supervisor = new Supervisor("planted");
  const first = await supervisor.run(target, 3);
  const { problems } = first.exceeded ? await supervisor.repeat(first) : first;
  expect(problems.join("\n")).toMatch(problem);
});

describe.each(Object.entries(targetGroups))("hostile input of %s", (group, targets) => {
  // One child for the cases of a group. A crash ends it, and the next case starts another.
  const supervisor = new Supervisor(group);
  beforeAll(() => supervisor.start());
  afterAll(() => supervisor[Symbol.dispose]());

  it.each(targets)("%s withstands it", { timeout }, async (target) => {
    let outcome = await supervisor.run(target, 1);
    if (outcome.exceeded) outcome = await supervisor.repeat(outcome);
    const repeat = `npm run test:adversary -- --target ${target} --seed 1 --cases 1`;
    expect(outcome.problems, `${repeat}\n${outcome.plan}`).toEqual([]);
  });
});
