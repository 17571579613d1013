import { describe, expect, it } from "vitest";
import { createManager } from "../../../../src/controller/manager/create-manager.js";
import type { ManagerOptions, Runnable } from "../../../../src/controller/manager/manager.js";
import type { Controller, ControllerOptions } from "../../../../src/controller/reconcile/controller.js";
import { CacheSyncError, LeadershipLostError } from "../../../../src/controller/reconcile/controller-errors.js";
import { createController } from "../../../../src/controller/reconcile/create-controller.js";
import { ClosedError } from "../../../../src/errors/errors.js";
import { onAbort } from "../../../../src/internal/abort.js";
import { Lease } from "../../../../src/kinds/coordination/v1.js";
import { ConfigMap } from "../../../../src/kinds/core/v1.js";
import { createVirtualClock, settle, type VirtualClock } from "../../../support/virtual-clock.js";
import { createNetwork } from "../lease-network.js";
import { openWorld, until } from "../world.js";

const maps = (world: ReturnType<typeof openWorld>) => world.client.resource(ConfigMap).namespace("default");

function controllerOf(
  world: ReturnType<typeof openWorld>,
  clock: VirtualClock,
  name: string,
  received: string[],
  options: Partial<ControllerOptions<ConfigMap>> = {},
): Controller {
  return createController<ConfigMap>({
    name,
    for: maps(world),
    clock,
    log: () => undefined,
    reconcile: (request) => void received.push(`${name} ${request.name}`),
    ...options,
  });
}

function runnableOf(
  name: string,
  received: string[],
  more: Partial<Runnable> = {},
  endMs?: { clock: VirtualClock; ms: number },
): Runnable {
  return {
    name,
    async run({ signal, abandon }) {
      received.push(`${name} begins`);
      await new Promise<void>((resolve) => (signal.aborted ? resolve() : onAbort(signal, resolve)));
      if (endMs !== undefined)
        await new Promise<void>((resolve) => {
          const unfollow = onAbort(abandon!, () => {
            timer.cancel();
            received.push(`${name} abandoned`);
            resolve();
          });
          const timer = endMs.clock.setTimer(() => {
            unfollow();
            resolve();
          }, endMs.ms);
        });
      received.push(`${name} ends`);
    },
    ...more,
  };
}

const begin = (clock: VirtualClock, options: ManagerOptions) =>
  createManager({ clock, log: () => undefined, ...options });
async function advance(clock: VirtualClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 200) {
    await clock.advance(Math.min(200, left));
    for (let turn = 0; turn < 6; turn++) await settle();
  }
}

describe("manager", () => {
  it("runs controllers over one shared cache and stops them all", async () => {
    let lists = 0;
    await using world = openWorld();
    world.server.faults.add({
      match: { resource: "configmaps", verb: ["list", "watch"] },
      effect: { type: "delay", ms: 0 },
    });
    const clock = createVirtualClock();
    const received: string[] = [];
    const manager = begin(clock, {
      controllers: [controllerOf(world, clock, "one", received), controllerOf(world, clock, "two", received)],
      runnables: [runnableOf("other", received)],
    });
    expect([manager.status.type, (await manager.readiness()).ok]).toEqual(["idle", false]);
    await maps(world).create({ metadata: { name: "a" } });
    manager.start();
    await until("all run", () => received.length === 3);
    lists = world.server.faults.hits["delay"] ?? 0;
    // At most one streaming list and its watch, not one per controller.
    expect(lists).toBeLessThanOrEqual(2);
    expect(received.sort()).toEqual(["one a", "other begins", "two a"]);
    expect([manager.status.type, manager.elector]).toEqual(["running", undefined]);
    expect(await manager.readiness()).toEqual({
      ok: true,
      checks: [
        { name: "manager", ok: true },
        { name: "controller one", ok: true },
        { name: "controller two", ok: true },
      ],
    });
    expect(() => manager.start()).toThrow(ClosedError);
    await manager.stop();
    await manager.done;
    expect([manager.status.type, received.at(-1), clock.pending]).toEqual(["stopped", "other ends", 0]);
  });

  it("stops runnables without leadership first, then the others, then releases the lease", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const received: string[] = [];
    const leases = world.client.resource(Lease).namespace("default");
    const manager = begin(clock, {
      runnables: [
        runnableOf("leading", received, {}, { clock, ms: 1_000 }),
        runnableOf("web", received, { needsLeadership: false }, { clock, ms: 1_000 }),
      ],
      leaderElection: { leases, name: "m", identity: "me" },
    });
    const abort = new AbortController();
    const running = manager.run({ signal: abort.signal });
    await advance(clock, 400);
    expect([received.splice(0), manager.status.type, manager.elector!.isLeader]).toEqual([
      ["web begins", "leading begins"],
      "running",
      true,
    ]);
    abort.abort();
    await advance(clock, 1_200);
    expect([received, manager.status.type, (await leases.get("m")).spec!.holderIdentity]).toEqual([
      ["web ends"],
      "stopping",
      "me",
    ]);
    await advance(clock, 1_400);
    await running;
    expect([received, manager.status.type, (await leases.get("m")).spec!.holderIdentity, clock.pending]).toEqual([
      ["web ends", "leading ends"],
      "stopped",
      "",
      0,
    ]);
  });

  it.each<["warm" | "cold", string]>([
    ["warm", "watching"],
    ["cold", "none"],
  ])("takes over from a %s standby, whose caches are filled accordingly", async (standby, cache) => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const received: string[] = [];
    const leases = world.client.resource(Lease).namespace("default");
    await leases.create({
      metadata: { name: "m" },
      spec: {
        holderIdentity: "other",
        leaseDurationSeconds: 15,
        leaseTransitions: 1,
        renewTime: "2026-01-01T00:00:00.000000Z",
      },
    });
    await maps(world).create({ metadata: { name: "a" } });
    let watches = 0;
    world.server.faults.add({
      match: { resource: "configmaps", verb: ["list", "watch"] },
      effect: { type: "delay", ms: 0 },
    });
    const manager = begin(clock, {
      controllers: [controllerOf(world, clock, "one", received)],
      leaderElection: { leases, name: "m" },
      standby,
    });
    manager.start();
    await advance(clock, 10_000);
    watches = world.server.faults.hits["delay"] ?? 0;
    expect([
      manager.status.type,
      watches > 0 ? "watching" : "none",
      (await manager.readiness()).ok,
      (await manager.health()).ok,
      received,
    ]).toEqual(["standby", cache, true, true, []]);
    await advance(clock, 12_000);
    expect([manager.status.type, received]).toEqual(["running", ["one a"]]);
    await manager.stop();
    expect(clock.pending).toBe(0);
  });

  it("fails when leadership is lost and aborts running calls immediately", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const received: string[] = [];
    const network = createNetwork(world.client.resource(Lease).namespace("default"), clock);
    const manager = begin(clock, {
      controllers: [
        controllerOf(world, clock, "one", received, {
          reconcile: (_request, { signal }) =>
            new Promise((_resolve, reject) =>
              signal.addEventListener("abort", () => {
                received.push(`fired at ${String(Math.round(clock.monotonic() / 1_000))}`);
                reject(signal.reason as Error);
              }),
            ),
        }),
      ],
      leaderElection: { leases: network.leases, name: "m", identity: "me", random: () => 0 },
    });
    await maps(world).create({ metadata: { name: "a" } });
    manager.start();
    const failed = manager.done.catch((error: unknown) => error);
    await advance(clock, 1_000);
    network.cut = true;
    await advance(clock, 12_000);
    expect(await failed).toBeInstanceOf(LeadershipLostError);
    expect([manager.status.type, received, clock.pending]).toEqual(["failed", ["fired at 10"], 0]);
    await manager.stop();
  });

  it.each<[string, Partial<Runnable>]>([
    ["with leadership", {}],
    ["without leadership", { needsLeadership: false }],
  ])("stops everything when one runnable %s fails", async (_name, more) => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const received: string[] = [];
    const manager = begin(clock, {
      controllers: [controllerOf(world, clock, "one", received)],
      runnables: [
        runnableOf("good", received),
        { name: "bad", ...more, run: () => Promise.reject(new RangeError("bad luck")) },
      ],
    });
    manager.start();
    await expect(manager.done).rejects.toThrow("bad luck");
    expect([manager.status, received, clock.pending]).toEqual([
      { type: "failed", error: new RangeError("bad luck") },
      ["good begins", "good ends"],
      0,
    ]);
  });

  it("is not created with two controllers of the same name, whose metrics would collide", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const [one, other, again] = ["one", "other", "one"].map((name) => controllerOf(world, clock, name, []));
    expect(() => createManager({ controllers: [one!, other!, again!] })).toThrow(
      new TypeError('createManager: two controllers are named "one"'),
    );
  });

  it("fails when caches don't sync in time and names them", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    world.server.faults.add({ match: { resource: "configmaps" }, effect: { type: "status", code: 403 } });
    const manager = begin(clock, { controllers: [controllerOf(world, clock, "one", [])], cacheSyncTimeoutMs: 10_000 });
    manager.start();
    const failed = manager.done.catch((error: unknown) => error);
    await advance(clock, 10_000);
    expect(await failed).toBeInstanceOf(CacheSyncError);
    expect(String(await failed)).toMatch(
      /manager: cache not synced after 10000 ms: configmaps in "default": .*Forbidden/,
    );
    expect(clock.pending).toBe(0);
  });

  it("aborts work that exceeds the drain timeout and names runnables that never end", async () => {
    const clock = createVirtualClock();
    const received: string[] = [];
    const manager = begin(clock, {
      drainTimeoutMs: 2_000,
      runnables: [
        runnableOf("slow", received, {}, { clock, ms: 100_000 }),
        { name: "deaf", run: () => new Promise(() => undefined) },
      ],
    });
    manager.start();
    await until("it runs", () => received.length === 1);
    const failed = manager.done.catch((error: unknown) => String(error));
    void manager.stop();
    await advance(clock, 9_000);
    expect(await failed).toContain("manager: deaf did not stop in time");
    expect([received, clock.pending]).toEqual([["slow begins", "slow abandoned", "slow ends"], 0]);
  });

  it("reports the results of health checks, including checks that throw", async () => {
    await using world = openWorld();
    const clock = createVirtualClock();
    const manager = begin(clock, {
      healthChecks: {
        good: () => undefined,
        late: () => Promise.resolve("too late"),
        bad: () => {
          throw new RangeError("broken");
        },
      },
      readyChecks: { never: () => "not yet" },
      leaderElection: { leases: world.client.resource(Lease).namespace("default"), name: "m" },
    });
    expect(await manager.health()).toEqual({
      ok: false,
      checks: [
        { name: "election", ok: true },
        { name: "good", ok: true },
        { name: "late", ok: false, message: "too late" },
        { name: "bad", ok: false, message: "broken" },
      ],
    });
    expect(await manager.readiness()).toEqual({
      ok: false,
      checks: [
        { name: "manager", ok: false, message: "the manager is idle" },
        { name: "never", ok: false, message: "not yet" },
      ],
    });
    await manager.stop();
    await manager.done;
    expect(manager.status.type).toBe("stopped");
  });
});
