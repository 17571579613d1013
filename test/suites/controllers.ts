import { describe, expect, it } from "vitest";
import type { Client } from "../../src/client/client.js";
import { createEventRecorder } from "../../src/controller/events/create-event-recorder.js";
import { withLeadership } from "../../src/controller/leader-election/with-leadership.js";
import { createManager } from "../../src/controller/manager/create-manager.js";
import type { Controller } from "../../src/controller/reconcile/controller.js";
import { createController } from "../../src/controller/reconcile/create-controller.js";
import { isNotFound } from "../../src/errors/predicates.js";
import { Lease } from "../../src/kinds/coordination/v1.js";
import { ConfigMap, Secret } from "../../src/kinds/core/v1.js";
import { Event } from "../../src/kinds/events/v1.js";
import { withController } from "../../src/objects/owner-references.js";
import { throughProxy } from "./proxied.js";
import type { Target } from "./target.js";
import { withNamespace } from "./target.js";

/** Controllers, leader election and event recorders against a server. */
export function controllersSuite(target: Target): void {
  describe("controllers", () => {
    it(
      "reconcile after start, changes, deletions, restarts and broken connections",
      () =>
        withNamespace(target, (direct, namespace) =>
          throughProxy(target, async (client, proxy) => {
            const maps = direct.resource(ConfigMap).namespace(namespace);
            const secrets = direct.resource(Secret).namespace(namespace);
            await maps.create({ metadata: { name: "early", labels: { copy: "yes" } }, data: { v: "1" } });
            const errors: unknown[] = [];
            let controller = copier(client, namespace, errors);
            controller.start();
            await settle(async () => same(await contents(direct, namespace), { early: "1" }));

            // Changes to owned objects are reverted.
            await secrets.patch("early", { type: "merge", patch: { data: { v: btoa("wrong") } } });
            await settle(async () => same(await contents(direct, namespace), { early: "1" }));
            await secrets.delete("early");
            await settle(async () => same(await contents(direct, namespace), { early: "1" }));

            // Bursts of changes and deletions, with all connections broken in between.
            for (let index = 0; index < 20; index++) {
              await maps.create({
                metadata: { name: `m-${String(index)}`, labels: { copy: "yes" } },
                data: { v: "0" },
              });
              if (index === 10) proxy.drop();
            }
            for (let round = 1; round <= 3; round++)
              for (let index = 0; index < 20; index += 2)
                await maps.patch(`m-${String(index)}`, { type: "merge", patch: { data: { v: String(round) } } });
            await maps.delete("m-1");
            proxy.drop();
            const wanted: Record<string, string> = { early: "1" };
            for (let index = 0; index < 20; index++)
              if (index !== 1) wanted[`m-${String(index)}`] = index % 2 === 0 ? "3" : "0";
            await settle(async () => same(await contents(direct, namespace), wanted));
            expect(await contents(direct, namespace)).toEqual(wanted);

            // A new controller catches up on changes from the downtime.
            await controller.stop();
            await maps.patch("early", { type: "merge", patch: { data: { v: "2" } } });
            await maps.delete("m-0");
            controller = copier(client, namespace, errors);
            controller.start();
            delete wanted["m-0"];
            wanted["early"] = "2";
            await settle(async () => same(await contents(direct, namespace), wanted));
            expect(await contents(direct, namespace)).toEqual(wanted);
            // At rest, the controller writes nothing.
            await settle(async () => controller.metrics.queue.depth === 0 && controller.metrics.active === 0);
            const { versions } = await versionsOf(direct, namespace);
            await new Promise((resolve) => setTimeout(resolve, 300));
            expect((await versionsOf(direct, namespace)).versions).toEqual(versions);
            await controller.stop();
            await controller.done;
          }),
        ),
      120_000,
    );

    it(
      "run only under the manager that leads",
      () =>
        withNamespace(target, async (client, namespace) => {
          const maps = client.resource(ConfigMap).namespace(namespace);
          const by: string[] = [];
          const managerOf = (name: string) => {
            const controller = createController({
              name: "mark",
              for: maps,
              reconcile: ({ name: object }) => void by.push(`${name} ${object}`),
            });
            return createManager({
              controllers: [controller],
              leaderElection: {
                leases: client.resource(Lease).namespace(namespace),
                name: "lock",
                identity: name,
                leaseDurationMs: 30_000,
                renewDeadlineMs: 20_000,
                retryPeriodMs: 300,
              },
            });
          };
          const [one, two] = [managerOf("one"), managerOf("two")];
          one.start();
          await settle(async () => one.status.type === "running");
          two.start();
          await settle(async () => two.status.type === "standby");
          await maps.create({ metadata: { name: "a" } });
          await settle(async () => by.includes("one a"));
          expect([two.status.type, by.some((text) => text.startsWith("two"))]).toEqual(["standby", false]);
          await one.stop();
          await settle(async () => by.includes("two a"));
          expect(by).toContain("two a");
          const { spec } = await client.resource(Lease).namespace(namespace).get("lock");
          expect([spec?.holderIdentity, spec?.leaseTransitions]).toEqual(["two", 1]);
          await two.stop();
          expect((await client.resource(Lease).namespace(namespace).get("lock")).spec?.holderIdentity).toBeFalsy();
        }),
      120_000,
    );

    it(
      "run withLeadership one after the other",
      () =>
        withNamespace(target, async (client, namespace) => {
          let running = 0;
          let most = 0;
          const leases = client.resource(Lease).namespace(namespace);
          const work = async (): Promise<void> => {
            most = Math.max(most, ++running);
            await new Promise((resolve) => setTimeout(resolve, 50));
            running--;
          };
          await Promise.all(
            [1, 2, 3].map(() =>
              withLeadership(
                {
                  leases,
                  name: "turns",
                  leaseDurationMs: 30_000,
                  renewDeadlineMs: 20_000,
                  retryPeriodMs: 100,
                  signal: AbortSignal.timeout(30_000),
                },
                work,
              ),
            ),
          );
          expect([running, most, (await leases.get("turns")).spec?.leaseTransitions]).toEqual([0, 1, 2]);
        }),
      120_000,
    );

    it(
      "record events and aggregate repetitions into a series",
      () =>
        withNamespace(target, async (client, namespace) => {
          const map = await client
            .resource(ConfigMap)
            .namespace(namespace)
            .create({ metadata: { name: "subject" } });
          const recorder = createEventRecorder({ events: client.resource(Event), controller: "example.com/suite" });
          for (let count = 0; count < 5; count++) {
            recorder.event(map, { type: "Warning", reason: "Tested", action: "Test", note: "it was tested" });
            await recorder.flush();
          }
          await recorder.close();
          const events = await client.resource(Event).namespace(namespace).list();
          expect(
            events.items.map(({ type, reason, note, regarding, series }) => [
              type,
              reason,
              note,
              regarding?.name,
              series?.count,
            ]),
          ).toEqual([["Warning", "Tested", "it was tested", "subject", 5]]);
          expect(recorder.metrics).toMatchObject({ recorded: 5, failed: 0, dropped: 0, pending: 0 });
        }),
      120_000,
    );
  });
}

/** A controller that maintains a Secret of the same name for each labeled ConfigMap. */
function copier(client: Client, namespace: string, errors: unknown[]): Controller {
  const secrets = client.resource(Secret).namespace(namespace);
  const controller = createController({
    name: "copier",
    for: client.resource(ConfigMap).namespace(namespace),
    owns: [secrets],
    concurrency: 3,
    log: () => undefined,
    async reconcile({ name }, { object, signal, recordWrite }) {
      if (object === undefined) {
        // The embedded server collects garbage; a kube-apiserver without a controller manager doesn't.
        await secrets.delete(name, { signal }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
        return;
      }
      if (object.metadata?.labels?.["copy"] === undefined) return;
      const wanted = withController({ metadata: { name, namespace } }, object);
      recordWrite(
        await secrets.apply(
          {
            apiVersion: "v1",
            kind: "Secret",
            metadata: { ...wanted.metadata, name },
            data: { v: btoa(object.data?.["v"] ?? "") },
          },
          { fieldManager: "copier", force: true, signal },
        ),
      );
    },
  });
  controller.onReconcile(({ result, error }) => void (result === "error" && errors.push(error)));
  return controller;
}

async function contents(client: Client, namespace: string): Promise<Record<string, string>> {
  const { items } = await client.resource(Secret).namespace(namespace).list();
  return Object.fromEntries(
    items
      .filter(
        ({ metadata }) =>
          metadata?.ownerReferences?.[0]?.kind === "ConfigMap" || metadata?.labels?.["copy"] !== undefined,
      )
      .map(({ metadata, data }) => [metadata!.name!, atob(data?.["v"] ?? "")]),
  );
}

async function versionsOf(client: Client, namespace: string): Promise<{ versions: string[] }> {
  const { items } = await client.resource(Secret).namespace(namespace).list();
  return { versions: items.map(({ metadata }) => metadata!.resourceVersion!) };
}

const sorted = (record: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
const same = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean =>
  sorted(a) === sorted(b);

/** Waits up to 30 s for a condition. The assertions that follow report what is missing. */
async function settle(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await condition()) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
}
