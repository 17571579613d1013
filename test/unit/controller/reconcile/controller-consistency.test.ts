import { describe, expect, it } from "vitest";
import type { ReconcileContext } from "../../../../src/controller/reconcile/controller.js";
import { ConfigMap } from "../../../../src/kinds/core/v1.js";
import { openWorld, until } from "../world.js";
import { begin, map } from "./recording-controller.js";

describe("controller", () => {
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
});
