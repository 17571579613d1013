import { describe, expect, it } from "vitest";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import { isAvailable } from "../../../../src/cluster/is-available.js";
import type { LogEntry } from "../../../../src/controller/reconcile/controller-log.js";
import { DaemonSet, Deployment } from "../../../../src/kinds/apps/v1.js";
import { Pod } from "../../../../src/kinds/core/v1.js";

const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } };
const web = {
  metadata: { name: "web" },
  spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template },
};

describe("a cluster", () => {
  it("lists the events of a workload with those of its pods, and of nothing else", async () => {
    await using cluster = await createCluster({ nodes: 3, time: "virtual", seed: 1 });
    await cluster.client.resource(Deployment).namespace("default").create(web);
    await cluster.client
      .resource(Pod)
      .namespace("default")
      .create({ metadata: { name: "other" }, spec: template.spec });
    await cluster.until(Deployment, "default/web", isAvailable);
    await cluster.pods("app=web").crash({ exitCode: 137, reason: "OOMKilled" });
    await cluster.advance("10m");
    const events = await cluster.events("default/web");
    const reasons = new Set(events.map(({ object, reason }) => `${object.split("/")[0]} ${reason}`));
    expect(reasons).toContain("Deployment ScalingReplicaSet");
    expect(reasons).toContain("ReplicaSet SuccessfulCreate");
    expect(reasons).toContain("Pod Scheduled");
    expect(events.filter(({ object }) => object === "Pod/other")).toEqual([]);
    expect(events.map(({ timeMs }) => timeMs)).toEqual(events.map(({ timeMs }) => timeMs).sort((a, b) => a - b));
    expect((await cluster.events()).map(({ object }) => object)).toContain("Pod/other");
  });

  it("holds a controller back until it's resumed", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    cluster.controllers.pause("deployment");
    await cluster.client.resource(Deployment).namespace("default").create(web);
    await cluster.advance("1h");
    expect((await cluster.client.resource(Pod).list()).items).toEqual([]);
    cluster.controllers.resume("deployment");
    await cluster.until(Deployment, "default/web", isAvailable);
    expect(() => cluster.controllers.pause("unknown" as "job")).toThrow(/no controller "unknown" runs: .*cronjob/);
  });

  it("logs the errors of its controllers, and shows them when a wait fails", async () => {
    const entries: LogEntry[] = [];
    await using cluster = await createCluster({ time: "virtual", seed: 1, log: (entry) => entries.push(entry) });
    const effect = { type: "status", code: 500, message: "the disk is full" } as const;
    cluster.server.faults.add({ match: { verb: "create", resource: "replicasets" }, effect });
    await cluster.client.resource(Deployment).namespace("default").create(web);
    await expect(cluster.until(Deployment, "default/web", isAvailable, { timeoutMs: 1000 })).rejects.toThrow(
      /problems of controllers:\n {2}deployment web: .*the disk is full/,
    );
    expect(entries.some(({ controller, level }) => controller === "deployment" && level === "error")).toBe(true);
  });
});

describe("isAvailable", () => {
  const base = { metadata: { generation: 2 }, spec: { replicas: 2 } };
  const rows: readonly [title: string, workload: object | undefined, expected: boolean][] = [
    ["an absent workload", undefined, false],
    ["a workload without a status", base, false],
    [
      "a status of an older generation",
      { ...base, status: { observedGeneration: 1, replicas: 2, availableReplicas: 2 } },
      false,
    ],
    [
      "a ReplicaSet with all pods available",
      { ...base, status: { observedGeneration: 2, replicas: 2, availableReplicas: 2 } },
      true,
    ],
    [
      "a Deployment with old pods left",
      { ...base, status: { observedGeneration: 2, replicas: 3, updatedReplicas: 2, availableReplicas: 3 } },
      false,
    ],
    ["a workload scaled to zero", { ...base, spec: { replicas: 0 }, status: { observedGeneration: 2 } }, true],
    [
      "a DaemonSet with a pod missing",
      {
        metadata: base.metadata,
        status: { observedGeneration: 2, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1 },
      },
      false,
    ],
  ];
  it.each(rows)("of %s", (_title, workload, expected) => expect(isAvailable(workload as Deployment)).toBe(expected));

  it("is a condition for a DaemonSet, too", async () => {
    await using cluster = await createCluster({ nodes: 2, time: "virtual", seed: 1 });
    const spec = { selector: { matchLabels: { app: "web" } }, template };
    await cluster.client
      .resource(DaemonSet)
      .namespace("default")
      .create({ metadata: { name: "web" }, spec });
    expect((await cluster.until(DaemonSet, "default/web", isAvailable))?.status?.numberAvailable).toBe(2);
  });
});
