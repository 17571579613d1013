import { firstValueFrom, map, Subject, toArray } from "rxjs";
import { expect, it } from "vitest";
import type { LogEntry } from "../../../src/controller/reconcile/controller-log.js";
import { createController } from "../../../src/controller/reconcile/create-controller.js";
import type { ReconcileRequest } from "../../../src/controller/reconcile/reconcile-request.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { fromReconciles } from "../../../src/rx/from-controller.js";
import { observableSource } from "../../../src/rx/observable-source.js";
import { openWorld, until } from "../controller/world.js";

it("observableSource enqueues requests from an Observable and fromReconciles emits the outcomes", async () => {
  await using world = openWorld();
  const requests = new Subject<ReconcileRequest>();
  const entries: LogEntry[] = [];
  const controller = createController({
    name: "test",
    for: world.client.resource(ConfigMap).namespace("none"),
    watches: [observableSource("a stream", requests)],
    log: (entry) => entries.push(entry),
    reconcile: () => undefined,
  });
  const outcomes = firstValueFrom(
    fromReconciles(controller).pipe(
      map(({ request, result }) => `${request.name} ${result}`),
      toArray(),
    ),
  );
  controller.start();
  expect(requests.observed).toBe(true);
  requests.next({ namespace: "default", name: "a" });
  requests.next({ namespace: "default", name: "b" });
  await until("both", () => controller.metrics.reconciles.success === 2);
  requests.error(new RangeError("broken stream"));
  expect([controller.metrics.handlerErrors, entries.find(({ level }) => level === "error")!.message]).toEqual([
    1,
    "a handler or predicate of a stream threw",
  ]);
  await controller.stop();
  expect(await outcomes).toEqual(["a success", "b success"]);
});

it("fromReconciles fails with the controller's error, and unsubscribed observers receive nothing", async () => {
  await using world = openWorld();
  world.server.faults.add({ match: { resource: "configmaps" }, effect: { type: "status", code: 403 } });
  const stream = new Subject<ReconcileRequest>();
  const controller = createController({
    name: "test",
    for: world.client.resource(ConfigMap),
    watches: [observableSource("a stream", stream)],
    cacheSyncTimeoutMs: 10,
    log: () => undefined,
    reconcile: () => undefined,
  });
  const received: unknown[] = [];
  const left = fromReconciles(controller).subscribe({ error: (error) => received.push(error) });
  left.unsubscribe();
  const failed = firstValueFrom(fromReconciles(controller)).catch((error: unknown) => String(error));
  controller.start();
  expect(await failed).toContain("cache not synced after 10 ms: configmaps");
  await controller.stop();
  expect([received, stream.observed]).toEqual([[], false]);
});
