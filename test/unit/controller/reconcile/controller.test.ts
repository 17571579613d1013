import { describe, expect, it } from "vitest";
import { createInformer } from "../../../../src/cache/informer/create-informer.js";
import type { Change } from "../../../../src/cache/store/change.js";
import { lowPriority } from "../../../../src/controller/queue/work-queue.js";
import type {
  ControllerOptions,
  ReconcileContext,
  ReconcileOutcome,
} from "../../../../src/controller/reconcile/controller.js";
import { CacheSyncError, TerminalError } from "../../../../src/controller/reconcile/controller-errors.js";
import type { LogEntry } from "../../../../src/controller/reconcile/controller-log.js";
import { createController } from "../../../../src/controller/reconcile/create-controller.js";
import { enqueueForOwner, enqueueMapped } from "../../../../src/controller/reconcile/enqueue.js";
import { kindSource } from "../../../../src/controller/reconcile/kind-source.js";
import { type ReconcileRequest, requestKey } from "../../../../src/controller/reconcile/reconcile-request.js";
import { ClosedError } from "../../../../src/errors/errors.js";
import { StatusError } from "../../../../src/errors/status-error.js";
import { ConfigMap, Namespace, Secret } from "../../../../src/kinds/core/v1.js";
import { ownerReference } from "../../../../src/objects/owner-references.js";
import { failure } from "../../../support/scripted-source.js";
import { createVirtualClock, settle } from "../../../support/virtual-clock.js";
import { openWorld, until } from "../world.js";

/** A controller for the ConfigMaps in "default" that records its calls. */
function begin(world: ReturnType<typeof openWorld>, options: Partial<ControllerOptions<ConfigMap>> = {}) {
  const clock = createVirtualClock();
  const calls: string[] = [];
  const outcomes: ReconcileOutcome[] = [];
  const entries: LogEntry[] = [];
  const controller = createController<ConfigMap>({
    name: "test",
    for: world.client.resource(ConfigMap).namespace("default"),
    log: (entry) => entries.push(entry),
    clock,
    ...options,
    reconcile(request, context) {
      calls.push(requestKey(request));
      return options.reconcile?.(request, context);
    },
  });
  controller.onReconcile((outcome) => outcomes.push(outcome));
  return { controller, clock, calls, outcomes, entries, maps: world.client.resource(ConfigMap).namespace("default") };
}

const map = (
  name: string,
  more: Partial<NonNullable<ConfigMap["metadata"]>> = {},
  data: Record<string, string> = {},
): ConfigMap => ({ metadata: { name, ...more }, data });

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

  it("enqueues the controller owner of the right kind, before and after a change", async () => {
    await using world = openWorld();
    const secrets = world.client.resource(Secret).namespace("default");
    const { controller, maps, calls } = begin(world, { owns: [secrets], predicates: [() => false] });
    const owners = [await maps.create(map("a")), await maps.create(map("b"))];
    controller.start();
    const reference = (index: number, isController = true) => ({
      ...ownerReference({ apiVersion: "v1", kind: "ConfigMap", ...owners[index]! }, { controller: isController }),
    });
    await secrets.create({ metadata: { name: "s", ownerReferences: [reference(0)] } });
    await until("a", () => calls.length === 1);
    await secrets.patch("s", { type: "merge", patch: { metadata: { ownerReferences: [reference(1)] } } });
    await until("both", () => calls.length === 3);
    await secrets.patch("s", { type: "merge", patch: { metadata: { ownerReferences: [reference(1, false)] } } });
    await until("b, as it was before", () => calls.length === 4);
    await secrets.patch("s", {
      type: "merge",
      patch: { metadata: { ownerReferences: [{ ...reference(0), apiVersion: "other.dev/v1" }] } },
    });
    await secrets.patch("s", {
      type: "merge",
      patch: { metadata: { ownerReferences: [{ ...reference(0), kind: "Other" }] } },
    });
    await secrets.delete("s");
    await maps.create(map("c"));
    await until("all was received", () => controller.metrics.queue.processing === 0);
    expect(calls).toEqual(["default/a", "default/a", "default/b", "default/b"]);
    await controller.stop();
  });

  it("accepts mapped sources, sources for every owner and requests from outside", async () => {
    await using world = openWorld();
    const secrets = world.client.resource(Secret).namespace("default");
    const { controller, maps, calls } = begin(world, {
      predicates: [() => false],
      watches: [
        kindSource(
          secrets,
          enqueueMapped((secret) =>
            (secret.metadata?.labels?.["of"] ?? "")
              .split(".")
              .filter(Boolean)
              .map((name) => ({ namespace: "default", name })),
          ),
        ),
        kindSource(world.client.resource(ConfigMap), enqueueForOwner(Secret, { match: "every" }), {
          predicates: [({ object }) => object.metadata?.namespace === "default"],
        }),
      ],
    });
    controller.start();
    await secrets.create({ metadata: { name: "s", labels: { of: "x.y.x" } } });
    await until("mapped", () => calls.length === 2);
    const secret = await secrets.patch("s", { type: "merge", patch: { metadata: { labels: { of: "z" } } } });
    await until("old and new", () => calls.length === 5);
    await maps.create(map("m", { ownerReferences: [ownerReference({ apiVersion: "v1", kind: "Secret", ...secret })] }));
    await until("every owner", () => calls.length === 6);
    controller.enqueue({ namespace: "default", name: "from-outside" });
    await until("outside", () => calls.length === 7);
    expect(calls.map((key) => key.replace("default/", "")).join(" ")).toBe("x y x y z s from-outside");
    await controller.stop();
  });

  it("refuses a request without a namespace if its own kind is namespaced", async () => {
    await using world = openWorld();
    const { controller, calls, entries } = begin(world, {
      watches: [kindSource(world.client.resource(Namespace), () => [{ name: "no-namespace" }])],
    });
    const problem =
      'controller test: the request for "no-namespace" needs a namespace, because ConfigMap is a namespaced kind';
    expect(() => controller.enqueue({ name: "no-namespace" })).toThrow(new TypeError(problem));
    controller.start();
    await until("received", () => controller.metrics.handlerErrors > 0);
    expect(entries.find(({ level }) => level === "error")).toMatchObject({ error: { message: problem } });
    // The empty namespace is a namespace, for requests that stand for no object.
    controller.enqueue({ namespace: "", name: "all" });
    await until("outside", () => calls.length === 1);
    expect(calls).toEqual(["all"]);
    await controller.stop();
  });

  it("ignores namespaced owners of a cluster-scoped object", () => {
    const reference = { apiVersion: "v1", kind: "Secret", name: "s", uid: "u", controller: true };
    const object = { metadata: { name: "n", ownerReferences: [reference] } };
    const change: Change<unknown> = {
      type: "added",
      key: "n",
      object,
      cause: "live",
      initial: false,
    };
    expect([...enqueueForOwner(Secret)(change)]).toEqual([]);
    expect([...enqueueForOwner({ ...Secret, scope: "Cluster" })(change)]).toEqual([{ name: "s" }]);
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

  it("uses a given informer and leaves it open", async () => {
    await using world = openWorld();
    const informer = createInformer(world.client.resource(ConfigMap).namespace("default"));
    const { controller, maps, calls } = begin(world, { for: informer });
    expect(() => begin(world, { for: informer, owns: [informer] })).toThrow(
      "options.kind is required for options.owns",
    );
    controller.start();
    await maps.create(map("a"));
    await until("the call", () => calls.length === 1);
    await controller.stop();
    await informer.synced();
    expect(informer.status.type).not.toBe("closed");
    await informer.close();
  });

  it("starts reconciling only when all caches are filled", async () => {
    await using world = openWorld();
    const { controller, clock, calls, maps } = begin(world, {
      watches: [kindSource(world.client.resource(Secret), () => [])],
    });
    const clear = world.server.faults.add({ match: { resource: "secrets" }, effect: { type: "status", code: 503 } });
    await maps.create(map("a"));
    controller.start();
    await until("maps", () => controller.status.type === "syncing" && controller.status.waitingFor.length === 1);
    expect([controller.status, calls]).toEqual([{ type: "syncing", waitingFor: ["secrets"] }, []]);
    clear();
    await clock.runUntil(() => calls.length === 1, 60_000);
    expect(calls).toEqual(["default/a"]);
    await controller.stop();
  });

  it.each([
    [503, "ServiceUnavailable"],
    [403, "Forbidden"],
    [404, "NotFound"],
  ])("fails when a cache isn't filled in time and reports the cache and the cause: %d", async (code, reason) => {
    await using world = openWorld();
    const { controller, clock } = begin(world, {
      watches: [kindSource(world.client.resource(Secret), () => [])],
      cacheSyncTimeoutMs: 20_000,
    });
    world.server.faults.add({ match: { resource: "secrets" }, effect: { type: "status", code } });
    controller.start();
    const failed = controller.done.catch((error: unknown) => error);
    await clock.advance(19_999);
    expect(controller.status.type).toBe("syncing");
    await clock.advance(1);
    const error = (await failed) as CacheSyncError;
    expect(error).toBeInstanceOf(CacheSyncError);
    expect([error.missing, error.message]).toEqual([
      ["secrets"],
      expect.stringMatching(`^controller test: cache not synced after 20000 ms: secrets: .*${reason}`),
    ]);
    expect(error.cause).toBeInstanceOf(StatusError);
    expect(controller.status).toEqual({ type: "failed", error });
    await controller.stop();
    expect(clock.pending).toBe(0);
  });

  it("starts as soon as a missing kind is defined", async () => {
    await using world = openWorld();
    const { controller, clock, calls, maps } = begin(world, {
      watches: [kindSource(world.client.resource(Secret), () => [])],
    });
    const clear = world.server.faults.add({ match: { resource: "secrets" }, effect: { type: "status", code: 404 } });
    await maps.create(map("a"));
    controller.start();
    await clock.advance(30_000);
    expect(controller.status.type).toBe("syncing");
    clear();
    expect(await clock.runUntil(() => calls.length === 1, 80_000)).toBe(true);
    await controller.stop();
  });

  it("lets running calls end after a stop and begins no new ones", async () => {
    await using world = openWorld();
    let end!: () => void;
    let signal!: AbortSignal;
    const { controller, clock, calls, maps, outcomes } = begin(world, {
      reconcile: (_request, context) => {
        signal = context.signal;
        return new Promise((resolve) => (end = () => resolve(undefined)));
      },
    });
    for (const name of ["a", "b"]) await maps.create(map(name));
    controller.start();
    await until("the first", () => calls.length === 1);
    let stopped = false;
    const stopping = controller.stop().then(() => (stopped = true));
    await clock.advance(29_000);
    expect([controller.status.type, signal.aborted, stopped]).toEqual(["stopping", false, false]);
    end();
    await stopping;
    await controller.done;
    expect([calls.length, outcomes.length, signal.aborted, clock.pending]).toEqual([1, 1, false, 0]);
  });

  it.each([
    ["after the drain timeout", undefined, 30_000],
    ["immediately with a drain timeout of 0", 0, 0],
  ])("aborts the signals of running calls %s", async (_name, drainTimeoutMs, afterMs) => {
    await using world = openWorld();
    let aborted: unknown;
    const { controller, clock, calls, maps, outcomes } = begin(world, {
      reconcile: (_request, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject((aborted = signal.reason)))),
    });
    await maps.create(map("a"));
    controller.start();
    await until("the first", () => calls.length === 1);
    const stopping = controller.stop(drainTimeoutMs === undefined ? {} : { drainTimeoutMs });
    if (afterMs > 0) {
      await clock.advance(afterMs - 1);
      expect(aborted).toBeUndefined();
      await clock.advance(1);
    }
    await stopping;
    expect(aborted).toBeInstanceOf(ClosedError);
    expect([outcomes.map(({ result }) => result), clock.pending]).toEqual([["aborted"], 0]);
  });

  it("gives up on calls that don't end and names them", async () => {
    await using world = openWorld();
    const { controller, clock, calls, maps } = begin(world, {
      reconcile: () => new Promise(() => undefined),
      drainTimeoutMs: 100,
    });
    await maps.create(map("a"));
    controller.start();
    await until("the first", () => calls.length === 1);
    const failed = controller.done.catch((error: unknown) => String(error));
    void controller.stop();
    await clock.advance(5_100);
    expect(await failed).toContain("controller test: default/a did not stop in time");
    expect(clock.pending).toBe(0);
  });

  it("runs until its signal aborts", async () => {
    await using world = openWorld();
    const abort = new AbortController();
    const { controller, calls, maps } = begin(world);
    const running = controller.run({ signal: abort.signal });
    await maps.create(map("a"));
    await until("the call", () => calls.length === 1);
    abort.abort();
    await running;
    expect(controller.status.type).toBe("stopped");
    const early = begin(world);
    await early.controller.run({ signal: AbortSignal.abort() });
    expect([early.calls, early.controller.status.type]).toEqual([[], "stopped"]);
  });

  it("can be stopped before it was started", async () => {
    await using world = openWorld();
    const { controller } = begin(world);
    await controller.stop();
    await controller.done;
    expect(() => controller.start()).toThrow(ClosedError);
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

  it("waits until the cache shows the writes of the previous call", async () => {
    await using world = openWorld();
    const versions: string[][] = [];
    const maps = world.client.resource(ConfigMap).namespace("default");
    let left = 5;
    const { controller } = begin(world, {
      async reconcile({ name }, { object, recordWrite }: ReconcileContext<ConfigMap>) {
        if (object === undefined || left-- === 0) return;
        const written = await maps.patch(name, { type: "merge", patch: { data: { left: String(left) } } });
        versions.push([object.metadata!.resourceVersion!, written.metadata!.resourceVersion!]);
        recordWrite(written);
        // Immediately again, before the cache has caught up.
        return { requeueAfterMs: 0.001 };
      },
      clock: undefined as never,
    });
    await maps.create(map("a"));
    controller.start();
    await until("the last", () => left < 0);
    expect(versions.slice(1).map(([read]) => read)).toEqual(versions.slice(0, -1).map(([, written]) => written));
    await controller.stop();
  });

  it("stops waiting for a recorded write after consistencyTimeoutMs", async () => {
    await using world = openWorld();
    const { controller, clock, maps, outcomes } = begin(world, {
      consistencyTimeoutMs: 2_000,
      reconcile(_request, { recordWrite, failures }) {
        expect(() => recordWrite({ metadata: { name: "x" } })).toThrow(TypeError);
        if (failures === 0)
          recordWrite({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", resourceVersion: "999999" } });
        return { requeueAfterMs: 1 };
      },
    });
    await maps.create(map("a"));
    controller.start();
    await until("the first", () => outcomes.length === 1);
    await clock.advance(1);
    await clock.advance(1_999);
    expect(outcomes).toHaveLength(1);
    await clock.advance(1);
    expect(String(outcomes[1]!.error)).toContain(
      'the cache of configmaps in "default" did not show the earlier write (version 999999) within 2000 ms',
    );
    await clock.advance(5);
    expect(outcomes[2]!.result).toBe("requeueAfter");
    await controller.stop();
  });

  it("doesn't count the wait for recorded writes towards reconcileTimeoutMs", async () => {
    await using world = openWorld();
    const { controller, clock, maps, outcomes } = begin(world, {
      reconcileTimeoutMs: 1_000,
      reconcile({ name }, { recordWrite, signal, failures, object }: ReconcileContext<ConfigMap>) {
        signal.throwIfAborted();
        if (name !== "a") return undefined;
        if (outcomes.length === 0)
          recordWrite({
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: "x", resourceVersion: String(Number(object!.metadata!.resourceVersion) + 50) },
          });
        return outcomes.length === 0 && failures === 0 ? { requeueAfterMs: 1 } : undefined;
      },
    });
    await maps.create(map("a"));
    controller.start();
    await until("the first", () => outcomes.length === 1);
    await clock.advance(1);
    await clock.advance(1_500);
    expect(outcomes).toHaveLength(1);
    for (let i = 0; i < 60; i++) await maps.create(map(`b${String(i)}`));
    await until("the second", () => outcomes.some(({ request }, index) => index > 0 && request.name === "a"));
    expect(outcomes.filter(({ request }) => request.name === "a")).toMatchObject([
      { result: "requeueAfter" },
      { result: "success" },
    ]);
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
