import { describe, expect, it } from "vitest";
import type { Cluster, ClusterOptions } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { ReplicaSet } from "../../../../../src/kinds/apps/v1.js";
import { Pod } from "../../../../../src/kinds/core/v1.js";

function replicaSet(name: string, replicas: number): ReplicaSet {
  return {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image: "web:1" }] } },
    },
  };
}

async function podNames(cluster: Cluster): Promise<string[]> {
  const { items } = await cluster.client.resource(Pod).list();
  return items.map(({ metadata }) => metadata!.name!).sort();
}

describe("ReplicaSet in a cluster", () => {
  it("gets its pods started and counts them", async () => {
    await using cluster = await createCluster({ nodes: 2, time: "virtual", seed: 1 });
    await cluster.client.resource(ReplicaSet).namespace("default").create(replicaSet("web", 3));
    const set = await cluster.until(ReplicaSet, "default/web", (web) => web?.status?.availableReplicas === 3);
    expect(set?.status).toEqual({
      availableReplicas: 3,
      fullyLabeledReplicas: 3,
      observedGeneration: 1,
      readyReplicas: 3,
      replicas: 3,
      terminatingReplicas: 0,
    });
    const { items } = await cluster.client.resource(Pod).list();
    expect(new Set(items.map(({ spec }) => spec!.nodeName))).toEqual(new Set(["node-1", "node-2"]));
  });

  it("replaces a deleted pod, scales up and scales down to the oldest ready pods", async () => {
    await using cluster = await createCluster({ nodes: 1, time: "virtual", seed: 2 });
    const sets = cluster.client.resource(ReplicaSet).namespace("default");
    const pods = cluster.client.resource(Pod).namespace("default");
    await sets.create(replicaSet("web", 2));
    await cluster.settled();
    const first = await podNames(cluster);
    await pods.delete(first[0]!);
    await cluster.settled();
    const second = await podNames(cluster);
    expect(second).toHaveLength(2);
    expect(second).toContain(first[1]);
    await cluster.advance("1h");
    await sets.subresource("scale").patch("web", { type: "merge", patch: { spec: { replicas: 4 } } });
    await cluster.settled();
    expect(await podNames(cluster)).toHaveLength(4);
    await cluster.advance("1m");
    await sets.subresource("scale").patch("web", { type: "merge", patch: { spec: { replicas: 2 } } });
    await cluster.settled();
    expect(await podNames(cluster)).toEqual(second);
  });

  it("adopts a matching pod without a controller, and releases one whose labels change", async () => {
    await using cluster = await createCluster({ nodes: 1, time: "virtual", seed: 3 });
    const pods = cluster.client.resource(Pod).namespace("default");
    const spec = { containers: [{ name: "main", image: "web:1" }] };
    await pods.create({ metadata: { name: "orphan", labels: { app: "web" } }, spec });
    await cluster.client.resource(ReplicaSet).namespace("default").create(replicaSet("web", 1));
    await cluster.settled();
    expect(await podNames(cluster)).toEqual(["orphan"]);
    expect((await pods.get("orphan")).metadata?.ownerReferences?.[0]?.name).toBe("web");
    await pods.patch("orphan", { type: "merge", patch: { metadata: { labels: { app: "other" } } } });
    await cluster.settled();
    expect((await pods.get("orphan")).metadata?.ownerReferences).toBeUndefined();
    expect(await podNames(cluster)).toHaveLength(2);
  });

  it("doesn't adopt a pod that has ended", async () => {
    await using cluster = await createCluster({ nodes: 1, time: "virtual", seed: 3 });
    const pods = cluster.client.resource(Pod).namespace("default");
    const containers = [{ name: "main", image: "web:1", command: ["true"] }];
    await pods.create({
      metadata: { name: "ended", labels: { app: "web" } },
      spec: { restartPolicy: "Never", containers },
    });
    await cluster.until(Pod, "default/ended", (pod) => pod?.status?.phase === "Succeeded");
    await cluster.client.resource(ReplicaSet).namespace("default").create(replicaSet("web", 1));
    await cluster.settled();
    expect((await pods.get("ended")).metadata?.ownerReferences).toBeUndefined();
    expect(await podNames(cluster)).toHaveLength(2);
  });

  it("counts a deleted pod as terminating until its containers have ended, not until its finalizers are gone", async () => {
    await using cluster = await createCluster({
      nodes: 1,
      time: "virtual",
      seed: 6,
      images: { "web:*": { run: () => new Promise<number>(() => undefined) } },
    });
    const sets = cluster.client.resource(ReplicaSet).namespace("default");
    const pods = cluster.client.resource(Pod).namespace("default");
    await sets.create(replicaSet("web", 1));
    await cluster.settled();
    const [name] = await podNames(cluster);
    await pods.patch(name!, { type: "merge", patch: { metadata: { finalizers: ["example.com/hold"] } } });
    await pods.delete(name!, { gracePeriodSeconds: 5 });
    await cluster.settled();
    expect((await sets.get("web")).status?.terminatingReplicas).toBe(1);
    await cluster.advance("10s");
    expect(await podNames(cluster)).toContain(name);
    expect((await sets.get("web")).status?.terminatingReplicas).toBe(0);
  });

  it("counts a pod as available only after minReadySeconds", async () => {
    await using cluster = await createCluster({ nodes: 1, time: "virtual", seed: 4 });
    const set = replicaSet("web", 1);
    set.spec!.minReadySeconds = 30;
    const sets = cluster.client.resource(ReplicaSet).namespace("default");
    await sets.create(set);
    await cluster.advance("29s");
    expect((await sets.get("web")).status).toMatchObject({ readyReplicas: 1 });
    expect((await sets.get("web")).status?.availableReplicas).toBeUndefined();
    await cluster.advance("2s");
    expect((await sets.get("web")).status?.availableReplicas).toBe(1);
  });

  it("reports a pod that the server refuses as condition ReplicaFailure", async () => {
    await using cluster = await createCluster({ nodes: 1, time: "virtual", seed: 5 });
    const set = replicaSet("web", 2);
    cluster.server.faults.add({ match: { verb: "create", resource: "pods" }, effect: { type: "status", code: 403 } });
    await cluster.client.resource(ReplicaSet).namespace("default").create(set);
    const failed = await cluster.until(ReplicaSet, "default/web", (web) => web?.status?.conditions !== undefined);
    expect(failed?.status?.conditions).toMatchObject([
      { type: "ReplicaFailure", status: "True", reason: "FailedCreate" },
    ]);
  });
});

describe("cluster", () => {
  it("has the same history with the same seed, byte for byte", async () => {
    const run = async (): Promise<string> => {
      await using cluster = await createCluster({ nodes: 3, time: "virtual", seed: 42 });
      await cluster.client.resource(ReplicaSet).namespace("default").create(replicaSet("web", 5));
      await cluster.advance("1h");
      await cluster.client.resource(ReplicaSet).namespace("default").delete("web");
      await cluster.advance("1h");
      return cluster.server.dumpYaml();
    };
    expect(await run()).toBe(await run());
  });

  it("starts 50 pods with one write of each pod's status, and few of their ReplicaSet's", async () => {
    const writes = new Map<string, number>();
    const audit: ClusterOptions["server"] = {
      audit: {
        policy: { rules: [{ level: "Metadata", verbs: ["update"], omitStages: ["RequestReceived"] }] },
        sink({ objectRef }) {
          const key = `${objectRef?.resource}/${objectRef?.subresource}`;
          writes.set(key, (writes.get(key) ?? 0) + 1);
        },
      },
    };
    await using cluster = await createCluster({ nodes: 3, time: "virtual", seed: 1, server: audit });
    await cluster.client.resource(ReplicaSet).namespace("default").create(replicaSet("web", 50));
    await cluster.advance("1m");
    expect(writes.get("pods/status")).toBe(50);
    expect(writes.get("replicasets/status")).toBeLessThan(20);
  });

  it("rejects a wait whose condition isn't met in time, after that much virtual time", async () => {
    await using cluster = await createCluster({ nodes: 0, time: "virtual", seed: 1 });
    const before = cluster.now();
    const wait = cluster.until(Pod, "default/none", (pod) => pod !== undefined, { timeoutMs: 5_000 });
    await expect(wait).rejects.toThrow(/default\/none did not meet the condition within 5000 ms/);
    expect(cluster.now() - before).toBe(5_000);
  });
});
