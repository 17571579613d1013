import { describe, expect, it } from "vitest";
import { joinInformers } from "../../../src/cache/combine/join.js";
import type { Change } from "../../../src/cache/store/change.js";
import { ClosedError } from "../../../src/errors/errors.js";
import type { Clock } from "../../../src/internal/clock.js";
import { describeChange, harnesses } from "../../support/informer-harness.js";
import type { Thing } from "../../support/scripted-source.js";
import { failure } from "../../support/scripted-source.js";
import { createVirtualClock, settle } from "../../support/virtual-clock.js";

const begin = harnesses();

/**
 * Creates a clock on which each reading takes time, to simulate work, and on which zero-delay timers count turns of the
 * event loop.
 */
function busyClock(virtual = createVirtualClock()): { clock: Clock; virtual: typeof virtual } {
  let spent = 0;
  return {
    virtual,
    clock: {
      now: () => virtual.now(),
      monotonic: () => virtual.monotonic() + (spent += 0.2),
      setTimer: virtual.setTimer.bind(virtual),
    },
  };
}
const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `n/${String(i)}@1`);

describe("relist changes", () => {
  it("are delivered after the synced status and before the watching status", async () => {
    const { informer, answer, watch } = begin();
    const log: string[] = [];
    informer.onStatus(({ type }) => log.push(type));
    informer.addHandler((change) => log.push(describeChange(change)));
    await answer("10", ["a@1", "b@2"]);
    watch().end(failure(410, "Expired"));
    await answer("20", ["b@2", "c@15"]);
    expect(log).toEqual([
      "listing",
      "synced",
      "+a@1",
      "+b@2",
      "connecting",
      "watching",
      "listing",
      "synced",
      "-a@1?",
      "+c@15",
      "connecting",
      "watching",
    ]);
  });
  it("are delivered to all handlers in the same order", async () => {
    const { informer, answer, send, watch } = begin();
    const logs: string[][] = [[], [], []];
    for (const log of logs) informer.addHandler((change) => log.push(describeChange(change)));
    await answer("10", ["a@1", "b@2"]);
    await send("~a@11", "-b@12", "+b@13#new");
    watch().end(failure(410, "Gone"));
    await answer("20", ["b@13#new"]);
    expect(logs[0]).toEqual(["+a@1", "+b@2", "~a@1>11", "-b@12", "+b@13", "-a@11?"]);
    expect([logs[1], logs[2]]).toEqual([logs[0], logs[0]]);
  });
});

describe("a handler", () => {
  it("may close the informer, which ends delivery to all handlers", async () => {
    const { informer, answer, statuses } = begin();
    const log: string[] = [];
    informer.addHandler((change) => {
      log.push(`1 ${change.key}`);
      void informer.close();
    });
    informer.addHandler((change) => log.push(`2 ${change.key}`));
    await answer("10", ["a@1", "b@1"]);
    expect(log).toEqual(["1 a"]);
    expect(statuses.map(({ type }) => type)).toEqual(["listing", "synced", "closed"]);
  });
  it.each([
    [401, "Unauthorized"],
    [403, "Forbidden"],
    [404, "NotFound"],
  ])("synced() of a handler rejects after repeated refusals: %d", async (code, reason) => {
    const { informer, source, clock, answer } = begin();
    const registration = informer.addHandler(() => undefined);
    const waiting = expect(registration.synced()).rejects.toMatchObject({ code, reason });
    for (let i = 0; i < 2; i++) {
      await settle();
      source.lists.at(-1)!.fail(failure(code, reason));
      await clock.advance(i === 0 ? 1_000 : 0);
    }
    await waiting;
    const late = expect(registration.synced({ timeoutMs: 10 })).rejects.toMatchObject({ code });
    await clock.advance(10);
    await late;
    await clock.advance(3_000);
    await answer("10", []);
    await registration.synced();
  });
  it("is synced immediately if it got all current objects from the store", async () => {
    const { informer, listen, answer } = begin();
    listen();
    await answer("10", ["a@1"]);
    const delivered: string[] = [];
    const registration = informer.addHandler(({ key }) => delivered.push(key));
    expect([delivered, registration.lag]).toEqual([["a"], 0]);
    await registration.synced();
  });
});

describe("a slow handler", () => {
  it("delays the watch that follows a list and reports its lag", async () => {
    const { clock, virtual } = busyClock();
    const { informer, source } = begin({ freeze: false, clock });
    let delivered = 0;
    const registration = informer.addHandler(() => delivered++);
    await settle();
    source.lists[0]!.answer("10", many(20_000));
    while (delivered === 0) {
      await virtual.runUntil(() => delivered > 0, 1);
      await settle();
    }
    expect(delivered).toBeLessThan(20_000);
    expect([registration.lag, informer.metrics.lag, source.requests.length]).toEqual([
      20_000 - delivered,
      20_000 - delivered,
      1,
    ]);
    await virtual.advance(1_000);
    expect([delivered, registration.lag, informer.metrics.lag, source.requests.length]).toEqual([20_000, 0, 0, 2]);
  });
  it("delays reading from the watch, so that no queue grows", async () => {
    const { clock, virtual } = busyClock();
    const { informer, source, listen } = begin({ freeze: false, clock });
    listen();
    await settle();
    source.lists[0]!.answer("10", many(5_000));
    await virtual.advance(1_000);
    const order: string[] = [];
    const late = informer.addHandler((change) => order.push(describeChange(change)));
    expect(late.lag).toBeGreaterThan(1_000);
    const before = late.lag;
    source.watches[0]!.send(...Array.from({ length: 50 }, (_, i) => `+late-${String(i)}@${String(i + 11)}`));
    await settle();
    expect([informer.store.size, late.lag]).toEqual([5_001, before + 1]);
    await virtual.advance(1_000);
    expect([informer.store.size, late.lag, order.length]).toEqual([5_050, 0, 5_050]);
    expect(order.slice(-50)).toEqual(Array.from({ length: 50 }, (_, i) => `+late-${String(i)}@${String(i + 11)}`));
  });
  it("doesn't delay closing the informer during a list, which then never becomes visible", async () => {
    const { clock, virtual } = busyClock();
    const { informer, source, statuses } = begin({ freeze: false, clock });
    let delivered = 0;
    informer.addHandler(() => delivered++);
    const synced = informer.synced().catch((error: unknown) => error);
    await settle();
    source.lists[0]!.answer("10", many(20_000));
    await settle();
    expect([informer.status.type, virtual.pending > 0]).toEqual(["listing", true]);
    const closing = informer.close();
    await virtual.advance(1_000);
    await closing;
    expect(await synced).toBeInstanceOf(ClosedError);
    expect([delivered, informer.store.size, informer.hasSynced, statuses.at(-1)?.type]).toEqual([
      0,
      0,
      false,
      "closed",
    ]);
  });
  it("doesn't affect a handler that leaves during delivery, or the other way round", async () => {
    const { clock, virtual } = busyClock();
    const { informer, source } = begin({ freeze: false, clock });
    const delivered: string[] = [];
    const leaving = informer.addHandler(() => delivered.push("leaving"));
    informer.addHandler(() => delivered.push("staying"));
    await settle();
    source.lists[0]!.answer("10", many(5_000));
    while (delivered.length === 0) await virtual.runUntil(() => delivered.length > 0, 1);
    leaving.remove();
    const last = delivered.filter((name) => name === "leaving").length;
    await virtual.advance(1_000);
    expect([
      delivered.filter((name) => name === "leaving").length,
      delivered.filter((name) => name === "staying").length,
    ]).toEqual([last, 5_000]);
  });
});

it("a join doesn't emit an object whose own change is still queued", async () => {
  const { clock, virtual } = busyClock();
  const [pods, nodes] = [begin({ freeze: false, clock }), begin()];
  const delivered = new Map<string, string[]>();
  const join = joinInformers(
    pods.informer,
    nodes.informer,
    { name: "all", left: () => ["x"], right: () => ["x"] },
    ({ type, key }) => delivered.set(key, [...(delivered.get(key) ?? []), type]),
  );
  await settle();
  pods.source.lists[0]!.answer("10", []);
  await virtual.advance(100);
  await nodes.answer("10", []);
  await virtual.advance(100);
  pods.watch().end(failure(410, "Expired"));
  await settle();
  pods.source.lists[1]!.answer("20", many(5_000));
  while (delivered.size === 0) await virtual.runUntil(() => delivered.size > 0, 1);
  const before = delivered.size;
  expect(before).toBeLessThan(5_000);
  await nodes.send("+n@11");
  await virtual.advance(1_000);
  const each = [...delivered.values()].map((types) => types.join());
  expect([
    each.filter((types) => types === "added,updated").length,
    each.filter((types) => types === "added").length,
  ]).toEqual([before, 5_000 - before]);
  join.remove();
});

describe("resync", () => {
  it("repeats all objects to every handler without a request", async () => {
    const { informer, source, clock, answer, send, listen, news } = begin({ resyncMs: 1_000 });
    listen();
    const causes: string[] = [];
    informer.addHandler((change: Change<Thing>) => causes.push(change.cause));
    await clock.advance(5_000);
    expect([news(), causes]).toEqual([[], []]);
    await answer("10", ["a@1", "b@1"]);
    await send("-b@11");
    const { length } = source.requests;
    news();
    causes.length = 0;
    await clock.advance(3_000);
    expect([news(), causes, source.requests.length]).toEqual([
      ["~a@1>1", "~a@1>1", "~a@1>1"],
      ["resync", "resync", "resync"],
      length,
    ]);
  });
  it("stops with the last handler", async () => {
    const { informer, clock, answer } = begin({ resyncMs: 1_000 });
    const registration = informer.addHandler(() => undefined);
    await answer("10", ["a@1"]);
    registration.remove();
    await settle();
    expect(clock.pending).toBe(0);
  });
});
