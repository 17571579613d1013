import { expect, it } from "vitest";
import { createClient } from "../../../../src/client/client.js";
import { createManager } from "../../../../src/controller/manager/create-manager.js";
import type { LogEntry } from "../../../../src/controller/reconcile/controller-log.js";
import { createController } from "../../../../src/controller/reconcile/create-controller.js";
import { ClosedError } from "../../../../src/errors/errors.js";
import { Lease } from "../../../../src/kinds/coordination/v1.js";
import { ConfigMap } from "../../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../../src/transport/handler.js";
import { createVirtualClock, settle } from "../../../support/virtual-clock.js";
import { openWorld, until } from "../world.js";

function forbidden(): Response {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403, message: "no" };
  return new Response(JSON.stringify(status), { status: 403, headers: { "content-type": "application/json" } });
}

/** Response of a kube-apiserver to requests for a kind without a definition. */
const notServed = (): Response => new Response("404 page not found\n", { status: 404 });

/** A manager whose server can refuse every request. */
function openManager() {
  const world = openWorld();
  const clock = createVirtualClock();
  const gate: { refusal?: (() => Response) | undefined } = {};
  const client = createClient({
    transport: handlerTransport((request) =>
      gate.refusal === undefined ? world.server.handle(request) : Promise.resolve(gate.refusal()),
    ),
    retry: false,
    clock,
  });
  const entries: LogEntry[] = [];
  const controller = createController<ConfigMap>({
    name: "sync",
    for: client.resource(ConfigMap).namespace("default"),
    clock,
    log: (entry) => entries.push(entry),
    reconcile: () => undefined,
    informer: { watchTimeoutSeconds: { min: 10, max: 10 }, idleTimeoutMs: 10_000 },
  });
  const manager = createManager({
    controllers: [controller],
    clock,
    cacheSyncTimeoutMs: 600_000,
    log: (entry) => entries.push(entry),
  });
  return { world, clock, gate, client, entries, controller, manager };
}

const warnings = (entries: readonly LogEntry[]) => entries.filter(({ level }) => level === "warn");

it.each([
  ["the right to read it is missing", forbidden, 403, "forbidden"],
  ["its definition is missing", notServed, 404, "notFound"],
])("a source is logged at once, then rarely, if %s", async (_what, refusal, code, kind) => {
  const { world, clock, gate, client, entries, controller, manager } = openManager();
  gate.refusal = refusal;
  manager.start();
  manager.done.catch(() => undefined);
  await until("first warning", () => warnings(entries).length > 0);
  expect(warnings(entries)[0]).toMatchObject({ controller: "sync", error: { code } });
  expect(warnings(entries)[0]!.message).toContain(`cannot watch configmaps in "default" (${kind})`);
  expect(controller.sources[0]!.status).toMatchObject({ informer: { type: "refused" }, outage: { failures: 1 } });
  for (let second = 0; second < 400; second++) await clock.advance(1_000);
  expect(controller.metrics.sourceFailures).toBeGreaterThan(3);
  expect(warnings(entries).length).toBeGreaterThanOrEqual(2);
  expect(warnings(entries).length).toBeLessThanOrEqual(4);
  expect((await manager.readiness()).ok).toBe(false);
  await manager.stop();
  await client.close();
  await world[Symbol.asyncDispose]();
});

it("readiness fails when rights are lost for longer than the grace period, and recovers", async () => {
  const { world, clock, gate, client, entries, controller, manager } = openManager();
  manager.start();
  await until("running", () => controller.status.type === "running");
  expect((await manager.readiness()).ok).toBe(true);
  gate.refusal = forbidden;
  for (let second = 0; second < 30; second++) await clock.advance(1_000);
  expect(warnings(entries)).toHaveLength(1);
  expect((await manager.readiness()).ok).toBe(true);
  for (let second = 0; second < 60; second++) await clock.advance(1_000);
  expect(await manager.readiness()).toMatchObject({
    ok: false,
    checks: [
      { ok: true },
      { ok: false, message: expect.stringMatching(/cannot be watched since \d+ s: .*no/s) as string },
    ],
  });
  gate.refusal = undefined;
  for (let second = 0; second < 200; second++) await clock.advance(1_000);
  expect((await manager.readiness()).ok).toBe(true);
  expect(controller.sources[0]!.status.outage).toBeUndefined();
  await manager.stop();
  await client.close();
  await world[Symbol.asyncDispose]();
});

it("a controller and its manager fail with a ClosedError when the client closes", async () => {
  const { world, client, controller, manager } = openManager();
  manager.start();
  await until("running", () => controller.status.type === "running");
  const ended = expect(manager.done).rejects.toThrow(ClosedError);
  await client.close();
  await ended;
  expect(controller.status).toMatchObject({ type: "failed", error: expect.any(ClosedError) as unknown });
  expect(manager.status.type).toBe("failed");
  await world[Symbol.asyncDispose]();
});

it("a manager that competes for a lease fails when the client closes", async () => {
  const world = openWorld();
  const clock = createVirtualClock();
  const leases = world.client.resource(Lease).namespace("default");
  const start = (identity: string) => {
    const manager = createManager({
      clock,
      log: () => undefined,
      leaderElection: { leases, name: "one", identity },
    });
    manager.start();
    return manager;
  };
  const leader = start("a");
  await until("a leads", () => leader.status.type === "running");
  const standby = start("b");
  await settle();
  const ended = [expect(standby.done).rejects.toThrow(ClosedError), expect(leader.done).rejects.toThrow(/not renewed/)];
  await world.client.close();
  for (let second = 0; second < 60; second++) await clock.advance(1_000);
  await Promise.all(ended);
  await world[Symbol.asyncDispose]();
});
