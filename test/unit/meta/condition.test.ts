import { describe, expect, it } from "vitest";
import { type Condition, findCondition, type NewCondition, setCondition } from "../../../src/meta/condition.js";

const old: Condition = {
  type: "Ready",
  status: "False",
  reason: "Starting",
  message: "0 of 3",
  lastTransitionTime: "2024-05-01T12:00:00Z",
  observedGeneration: 1,
};
const other: Condition = { ...old, type: "Progressing" };
const { lastTransitionTime, ...same } = old;
const NOW = "2024-06-01T00:00:00Z";

describe("setCondition", () => {
  it.each<[string, readonly Condition[] | null | undefined, NewCondition, Condition[]]>([
    [
      "appends the first condition of a missing list",
      undefined,
      { ...same, lastTransitionTime: NOW },
      [{ ...old, lastTransitionTime: NOW }],
    ],
    [
      "appends the first condition where the server sent null",
      null,
      { ...same, lastTransitionTime: NOW },
      [{ ...old, lastTransitionTime: NOW }],
    ],
    [
      "appends a condition of a new type",
      [other],
      { ...same, lastTransitionTime: NOW },
      [other, { ...old, lastTransitionTime: NOW }],
    ],
    [
      "keeps the time while the status is the same",
      [old, other],
      { ...same, message: "1 of 3", observedGeneration: 2, lastTransitionTime: NOW },
      [{ ...old, message: "1 of 3", observedGeneration: 2 }, other],
    ],
    [
      "sets the time when the status changes, in place",
      [old, other],
      { ...same, status: "True", lastTransitionTime: NOW },
      [{ ...old, status: "True", lastTransitionTime: NOW }, other],
    ],
    [
      "drops observedGeneration if the new condition has none",
      [old],
      { ...same, observedGeneration: undefined },
      [{ ...old, observedGeneration: undefined }],
    ],
    [
      "fills in a time that was never set",
      [{ ...old, lastTransitionTime: null }],
      { ...same, lastTransitionTime: NOW },
      [{ ...old, lastTransitionTime: NOW }],
    ],
  ])("%s", (_title, before, next, after) => expect(setCondition(before as Condition[], next)).toEqual(after));

  it("uses the current time by default, in whole seconds", () => {
    const since = Math.floor(Date.now() / 1000) * 1000;
    const [set] = setCondition([], same);
    expect(set?.lastTransitionTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Date.parse(set!.lastTransitionTime!)).toBeGreaterThanOrEqual(since);
  });

  it("doesn't modify the list of an informer, and keeps an unchanged condition's identity", () => {
    const frozen = Object.freeze([Object.freeze({ ...old }), Object.freeze({ ...other })]);
    expect(setCondition(frozen, same)[0]).toBe(frozen[0]);
    const changed = setCondition(frozen, { ...same, message: "2 of 3" });
    expect(changed[0]).not.toBe(frozen[0]);
    expect(changed[1]).toBe(frozen[1]);
    expect(frozen[0]).toEqual(old);
  });
});

it("findCondition finds a condition by its type", () => {
  expect(findCondition([old, other], "Progressing")).toBe(other);
  expect([findCondition([old], "Gone"), findCondition(undefined, "Ready"), findCondition(null, "Ready")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
