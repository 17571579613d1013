import { describe, expect, it } from "vitest";
import { createInformer } from "../../../../src/cache/informer/create-informer.js";
import type { Change } from "../../../../src/cache/store/change.js";
import { exponentialRateLimiter } from "../../../../src/controller/queue/rate-limiters.js";
import { CacheSyncError } from "../../../../src/controller/reconcile/controller-errors.js";
import { enqueueForOwner, enqueueMapped } from "../../../../src/controller/reconcile/enqueue.js";
import { kindSource } from "../../../../src/controller/reconcile/kind-source.js";
import { StatusError } from "../../../../src/errors/status-error.js";
import { ConfigMap, Namespace, Secret } from "../../../../src/kinds/core/v1.js";
import { ownerReference } from "../../../../src/objects/owner-references.js";
import { openWorld, until } from "../world.js";
import { begin, map } from "./recording-controller.js";

describe("controller", () => {
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

  it("enqueues a delayed request at its time, also before a later retry", async () => {
    await using world = openWorld();
    const { controller, clock, calls, outcomes } = begin(world, {
      rateLimiter: exponentialRateLimiter<string>({ baseDelayMs: 60_000 }),
      reconcile(request, { failures }) {
        if (failures > 0) return;
        controller.enqueue(request, { delayMs: 1_000 });
        throw new Error("retried after a minute");
      },
    });
    controller.start();
    controller.enqueue({ namespace: "default", name: "late" }, { delayMs: 5_000 });
    await until("started", () => controller.status.type === "running");
    await clock.advance(4_999);
    expect(calls).toEqual([]);
    await clock.advance(1);
    await until("failed", () => outcomes.length === 1);
    await clock.advance(999);
    expect(outcomes.length).toBe(1);
    await clock.advance(1);
    await until("called again", () => outcomes.length === 2);
    expect(outcomes.map(({ result }) => result)).toEqual(["error", "success"]);
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
});
