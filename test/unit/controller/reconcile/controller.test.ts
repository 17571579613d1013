import { describe, expect, it } from "vitest";
import { lowPriority } from "../../../../src/controller/queue/work-queue.js";
import type { ControllerOptions, ReconcileOutcome } from "../../../../src/controller/reconcile/controller.js";
import { TerminalError } from "../../../../src/controller/reconcile/controller-errors.js";
import { kindSource } from "../../../../src/controller/reconcile/kind-source.js";
import { type ReconcileRequest, requestKey } from "../../../../src/controller/reconcile/reconcile-request.js";
import { ClosedError } from "../../../../src/errors/errors.js";
import { ConfigMap, Secret } from "../../../../src/kinds/core/v1.js";
import { failure } from "../../../support/scripted-source.js";
import { settle } from "../../../support/virtual-clock.js";
import { openWorld, until } from "../world.js";
import { begin, map } from "./recording-controller.js";

describe("controller", () => {
  it("reconciles existing, added, changed and deleted objects", async () => {
    await using world = openWorld();
    const seen: string[] = [];
    const { controller, maps, calls, outcomes } = begin(world, {
      reconcile: ({ name }, { object, store, failures, signal }) => {
        seen.push(
          `${name} ${object === undefined ? "gone" : `${object.apiVersion!}/${object.kind!} ${object.data?.["v"] ?? ""}`} ${String(store.size)} ${String(failures)} ${String(signal.aborted)}`,
        );
      },
    });
    await maps.create(map("a", {}, { v: "1" }));
    expect([controller.status.type, controller.sources.map(({ description }) => description)]).toEqual([
      "idle",
      ['configmaps in "default"'],
    ]);
    controller.start();
    expect(controller.status).toEqual({ type: "syncing", waitingFor: ['configmaps in "default"'] });
    await until("the first", () => calls.length === 1);
    expect(controller.status).toEqual({ type: "running", active: [] });
    await maps.create(map("b", {}, { v: "1" }));
    await until("the second", () => calls.length === 2);
    await maps.patch("b", { type: "merge", patch: { data: { v: "2" } } });
    await until("the change", () => calls.length === 3);
    await maps.delete("a");
    await until("the end", () => calls.length === 4);
    expect(seen).toEqual([
      "a v1/ConfigMap 1 1 0 false",
      "b v1/ConfigMap 1 2 0 false",
      "b v1/ConfigMap 2 2 0 false",
      "a gone 1 0 false",
    ]);
    expect(outcomes.map(({ request, result, priority }) => [requestKey(request), result, priority])).toEqual([
      ["default/a", "success", lowPriority],
      ["default/b", "success", 0],
      ["default/b", "success", 0],
      ["default/a", "success", 0],
    ]);
    await controller.stop();
    await controller.done;
    expect(controller.status).toEqual({ type: "stopped" });
    expect(controller.metrics).toMatchObject({
      reconciles: { success: 4, error: 0 },
      active: 0,
      concurrency: 1,
      handlerErrors: 0,
      queue: { depth: 0, adds: 4 },
    });
    expect(() => controller.start()).toThrow(ClosedError);
  });

  it("retries a failing request with growing delays until it succeeds", async () => {
    await using world = openWorld();
    let left = 3;
    const { controller, clock, maps, outcomes, entries } = begin(world, {
      reconcile: (_request, { failures }) => {
        if (left-- > 0) throw new RangeError(`failure after ${String(failures)}`);
      },
    });
    await maps.create(map("a"));
    controller.start();
    await until("the first", () => outcomes.length === 1);
    await clock.advance(4);
    expect(outcomes).toHaveLength(1);
    await clock.advance(1);
    expect(outcomes).toHaveLength(2);
    await clock.advance(30);
    expect(
      outcomes.map(({ result, requeueAfterMs, error }) => [
        result,
        requeueAfterMs,
        (error as Error | undefined)?.message,
      ]),
    ).toEqual([
      ["error", 5, "failure after 0"],
      ["error", 10, "failure after 1"],
      ["error", 20, "failure after 2"],
      ["success", undefined, undefined],
    ]);
    expect(outcomes.map(({ priority }) => priority)).toEqual([lowPriority, lowPriority, lowPriority, lowPriority]);
    expect(
      entries
        .filter(({ level }) => level === "error")
        .map(({ message, controller: name, request }) => [message, name, request]),
    ).toEqual([
      ["reconcile failed, retrying in 5 ms", "test", { namespace: "default", name: "a" }],
      ["reconcile failed, retrying in 10 ms", "test", { namespace: "default", name: "a" }],
      ["reconcile failed, retrying in 20 ms", "test", { namespace: "default", name: "a" }],
    ]);
    await controller.stop();
  });

  it.each<[string, () => unknown, Partial<ReconcileOutcome>, string[]]>([
    ["requeueAfterMs", () => ({ requeueAfterMs: 60_000 }), { result: "requeueAfter", requeueAfterMs: 60_000 }, []],
    ["no result", () => undefined, { result: "success" }, []],
    ["a requeueAfterMs of 0", () => ({ requeueAfterMs: 0 }), { result: "success" }, []],
    ["a negative requeueAfterMs", () => ({ requeueAfterMs: -1 }), { result: "error", requeueAfterMs: 5 }, ["error"]],
    ["a requeueAfterMs of NaN", () => ({ requeueAfterMs: NaN }), { result: "error", requeueAfterMs: 5 }, ["error"]],
    ["a TerminalError", () => Promise.reject(new TerminalError("no such schedule")), { result: "terminal" }, ["error"]],
    ["a conflict", () => Promise.reject(failure(409, "Conflict")), { result: "error", requeueAfterMs: 5 }, []],
    [
      "a Retry-After from the server",
      () => Promise.reject(failure(429, "TooManyRequests", { retryAfterSeconds: 7 })),
      { result: "error", requeueAfterMs: 7_000 },
      ["error"],
    ],
    ["a thrown string", () => Promise.reject("text"), { result: "error", error: "text", requeueAfterMs: 5 }, ["error"]],
  ])("handles %s", async (_name, reconcile, expected, errors) => {
    await using world = openWorld();
    const { controller, clock, maps, outcomes, entries } = begin(world, {
      reconcile: reconcile as ControllerOptions<ConfigMap>["reconcile"],
    });
    await maps.create(map("a"));
    controller.start();
    await until("the call", () => outcomes.length === 1);
    expect(outcomes[0]).toMatchObject(expected);
    expect(outcomes[0]!.requeueAfterMs).toBe(expected.requeueAfterMs);
    expect(entries.map(({ level }) => level).filter((level) => level === "error" || level === "warn")).toEqual(errors);
    expect(controller.metrics.conflicts).toBe(_name === "a conflict" ? 1 : 0);
    await clock.advance((expected.requeueAfterMs ?? 100) - 1);
    expect(outcomes).toHaveLength(1);
    await clock.advance(1_000_000);
    if (expected.requeueAfterMs === undefined) expect(outcomes).toHaveLength(1);
    else expect(outcomes.length).toBeGreaterThan(1);
    await controller.stop();
    expect(clock.pending).toBe(0);
  });

  it("limits concurrency and never runs one request twice at a time", async () => {
    await using world = openWorld();
    const running = new Map<string, () => void>();
    let most = 0;
    const { controller, maps, outcomes } = begin(world, {
      concurrency: 3,
      reconcile: ({ name }) => {
        if (running.has(name)) throw new TypeError(`${name} runs already`);
        return new Promise((resolve) => {
          running.set(name, () => {
            running.delete(name);
            resolve(undefined);
          });
          most = Math.max(most, running.size);
        });
      },
    });
    for (const name of ["a", "b", "c", "d"]) await maps.create(map(name));
    controller.start();
    await until("three", () => running.size === 3);
    const first = [...running.keys()][0]!;
    await maps.patch(first, { type: "merge", patch: { data: { v: "2" } } });
    await until("the change waits", () => controller.metrics.queue.adds === 5);
    expect(running.size).toBe(3);
    while (outcomes.length < 5) {
      for (const end of [...running.values()]) end();
      await settle();
    }
    expect([most, outcomes.filter(({ result }) => result !== "success")]).toEqual([3, []]);
    await controller.stop();
  });

  it("counts and logs errors of handlers, and continues", async () => {
    await using world = openWorld();
    const { controller, calls, entries, maps } = begin(world, {
      watches: [
        kindSource(world.client.resource(Secret), () => {
          throw new RangeError("bad handler");
        }),
      ],
    });
    controller.start();
    await world.client
      .resource(Secret)
      .namespace("default")
      .create({ metadata: { name: "s" } });
    await until("received", () => controller.metrics.handlerErrors === 1);
    await maps.create(map("a"));
    await until("goes on", () => calls.length === 1);
    expect(entries.filter(({ level }) => level === "error")).toMatchObject([
      { message: "a handler or predicate of secrets threw", controller: "test", error: new RangeError("bad handler") },
    ]);
    await controller.stop();
  });

  it("limits the duration of a call", async () => {
    await using world = openWorld();
    const { controller, clock, maps, outcomes } = begin(world, {
      reconcileTimeoutMs: 1_000,
      reconcile: (_request, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    });
    await maps.create(map("a"));
    controller.start();
    await until("the call", () => controller.metrics.active === 1);
    await clock.advance(1_000);
    expect(outcomes).toMatchObject([{ result: "timeout", durationMs: 1_000, requeueAfterMs: 5 }]);
    expect(String(outcomes[0]!.error)).toContain("reconcile of test default/a: timed out after 1000 ms");
    await controller.stop({ drainTimeoutMs: 0 });
  });

  it("rejects an invalid concurrency", async () => {
    await using world = openWorld();
    for (const concurrency of [0, 1.5, -1, NaN]) expect(() => begin(world, { concurrency })).toThrow(RangeError);
  });
});

describe("reconcile requests", () => {
  it.each<[ReconcileRequest, string]>([
    [{ namespace: "ns", name: "a" }, "ns/a"],
    [{ name: "a" }, "a"],
    [{ namespace: "", name: "a" }, "a"],
  ])("%o has the key %s", (request, key) => {
    expect(requestKey(request)).toBe(key);
  });
});
