import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../src/cluster/cluster.js";
import { createCluster } from "../../../src/cluster/create-cluster.js";
import { DaemonSet, Deployment, StatefulSet } from "../../../src/kinds/apps/v1.js";
import { type RolloutProgress, rolloutStatus } from "../../../src/operations/rollout-status.js";

async function start(): Promise<Cluster> {
  return await createCluster({ images: { "slow:*": { pull: "1h" } } });
}

const selector = { matchLabels: { app: "web" } };
const template = (image = "web:1"): object => ({
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "main", image }] },
});

async function collect(progress: AsyncIterable<RolloutProgress>): Promise<RolloutProgress[]> {
  const all: RolloutProgress[] = [];
  for await (const each of progress) all.push(each);
  return all;
}

describe("rolloutStatus", () => {
  it("follows a Deployment from its creation, and again from an update, to the end", async () => {
    await using cluster = await start();
    const deployments = cluster.client.resource(Deployment).namespace("default");
    await deployments.create({
      metadata: { name: "web" },
      spec: { replicas: 3, selector, template: template() as never },
    });
    const first = await collect(rolloutStatus(deployments, "web"));
    expect(first.slice(0, -1).every(({ done }) => !done)).toBe(true);
    expect(first.at(-1)).toEqual({
      done: true,
      message: "all 3 replicas are updated and available",
      wanted: 3,
      updated: 3,
      available: 3,
    });
    await deployments.patch("web", { type: "merge", patch: { spec: { template: template("web:2") as never } } });
    const second = await collect(rolloutStatus(deployments, "web"));
    expect(second.length).toBeGreaterThan(1);
    expect(second.at(-1)?.done).toBe(true);
  });

  it("follows a DaemonSet and a StatefulSet", async () => {
    await using cluster = await start();
    const daemons = cluster.client.resource(DaemonSet).namespace("default");
    await daemons.create({ metadata: { name: "agent" }, spec: { selector, template: template() as never } });
    expect((await collect(rolloutStatus(daemons, "agent"))).at(-1)?.message).toBe(
      "all 1 pods are updated and available",
    );
    const sets = cluster.client.resource(StatefulSet).namespace("default");
    await sets.create({
      metadata: { name: "db" },
      spec: { replicas: 2, serviceName: "db", selector, template: template() as never },
    });
    expect((await collect(rolloutStatus(sets, "db"))).at(-1)?.message).toBe("2 pods are updated and ready");
  });

  it("throws when the progress deadline is exceeded, and after its time", async () => {
    await using cluster = await start();
    const deployments = cluster.client.resource(Deployment).namespace("default");
    const spec = { replicas: 1, selector, template: template("slow:1") as never };
    await deployments.create({ metadata: { name: "late" }, spec: { ...spec, progressDeadlineSeconds: 1 } });
    await expect(collect(rolloutStatus(deployments, "late"))).rejects.toThrow('"late" exceeded its progress deadline');
    await expect(collect(rolloutStatus(deployments, "none"))).rejects.toThrow('"none" doesn\'t exist');
    await deployments.create({ metadata: { name: "slow" }, spec });
    await expect(collect(rolloutStatus(deployments, "slow", { timeoutMs: 200 }))).rejects.toThrow(/200 ms|time/);
  });

  it("refuses a workload that is updated by deleting its pods", async () => {
    await using cluster = await start();
    const sets = cluster.client.resource(StatefulSet).namespace("default");
    const spec = { replicas: 1, serviceName: "db", selector, template: template() as never };
    await sets.create({ metadata: { name: "db" }, spec: { ...spec, updateStrategy: { type: "OnDelete" } } });
    await expect(collect(rolloutStatus(sets, "db"))).rejects.toThrow("has the update strategy OnDelete");
  });
});
