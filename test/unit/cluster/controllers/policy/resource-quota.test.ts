import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { isForbidden } from "../../../../../src/errors/predicates.js";
import { Deployment, ReplicaSet } from "../../../../../src/kinds/apps/v1.js";
import {
  ConfigMap,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  type ResourceQuotaSpec,
  Service,
} from "../../../../../src/kinds/core/v1.js";
import type { DeepReadonly } from "../../../../../src/meta/object.js";

async function start(spec: ResourceQuotaSpec): Promise<Cluster> {
  const cluster = await createCluster({ time: "virtual", seed: 1, images: { "task:*": { run: () => 0 } } });
  await cluster.client
    .resource(ResourceQuota)
    .namespace("default")
    .create({ metadata: { name: "quota" }, spec });
  await cluster.settled();
  return cluster;
}

async function createPod(cluster: Cluster, name: string, more: object = {}, image = "web:1"): Promise<void> {
  const resources = { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "1" } };
  const spec = { restartPolicy: "Never" as const, containers: [{ name: "main", image, resources }], ...more };
  await cluster.client.resource(Pod).namespace("default").create({ metadata: { name }, spec });
  await cluster.settled();
}

async function usedOf(cluster: Cluster): Promise<Record<string, string> | undefined> {
  await cluster.settled();
  return (await cluster.client.resource(ResourceQuota).namespace("default").get("quota")).status?.used;
}

const deadline = { activeDeadlineSeconds: 600 };

describe("status of a ResourceQuota", () => {
  it.each<[string, ResourceQuotaSpec, Record<string, string>]>([
    ["pods that have ended don't count", { hard: { pods: "5" } }, { pods: "2" }],
    [
      "requests and limits are summed up",
      { hard: { cpu: "1", "requests.memory": "1Gi", "limits.cpu": "9" } },
      { cpu: "200m", "requests.memory": "128Mi", "limits.cpu": "2" },
    ],
    [
      "objects are counted, ended pods too",
      { hard: { "count/pods": "5", configmaps: "5" } },
      { "count/pods": "3", configmaps: "2" },
    ],
    ["a scope selects pods", { hard: { pods: "5" }, scopes: ["Terminating"] }, { pods: "1" }],
    [
      "a scope selects the pods to count, ended ones too",
      { hard: { "count/pods": "5", "count/configmaps": "5" }, scopes: ["NotTerminating"] },
      { "count/pods": "2", "count/configmaps": "0" },
    ],
    ["pods with requests aren't best effort", { hard: { pods: "5" }, scopes: ["BestEffort"] }, { pods: "1" }],
    [
      "the ports of Services count",
      { hard: { services: "3", "services.nodeports": "9", "services.loadbalancers": "1" } },
      { services: "2", "services.nodeports": "2", "services.loadbalancers": "0" },
    ],
  ])("%s", async (_, spec, used) => {
    await using cluster = await createCluster({ time: "virtual", seed: 1, images: { "task:*": { run: () => 0 } } });
    const { client } = cluster;
    await createPod(cluster, "web");
    await createPod(cluster, "limited", deadline);
    await createPod(cluster, "ended", {}, "task:1");
    const storage = { requests: { "ephemeral-storage": "1Mi" } };
    if (spec.scopes?.includes("BestEffort"))
      await createPod(cluster, "small", { containers: [{ name: "main", image: "web:1", resources: storage }] });
    await client
      .resource(ConfigMap)
      .namespace("default")
      .create({ metadata: { name: "settings" } });
    const ports = [80, 443].map((port) => ({ name: `p${port}`, port }));
    await client
      .resource(Service)
      .namespace("default")
      .create({ metadata: { name: "web" }, spec: { type: "NodePort", ports } });
    await client
      .resource(ResourceQuota)
      .namespace("default")
      .create({ metadata: { name: "quota" }, spec });
    const quota = await cluster.until(ResourceQuota, "default/quota", (each) => each?.status?.used !== undefined);
    expect(quota?.status).toEqual({ hard: spec.hard, used });
  });

  it("counts the claims with an attributes class that its scope selects, also after a change", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
    const resources = { requests: { storage: "1Gi" } };
    for (const [name, volumeAttributesClassName] of [["fast", "gold"], ["slow", "silver"], ["plain"]] as const)
      await claims.create({
        metadata: { name: name! },
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources,
          ...(volumeAttributesClassName !== undefined && { volumeAttributesClassName }),
        },
      });
    const matchExpressions = [
      { scopeName: "VolumeAttributesClass" as const, operator: "In" as const, values: ["gold"] },
    ];
    const hard = { persistentvolumeclaims: "5", "requests.storage": "10Gi" };
    await cluster.client
      .resource(ResourceQuota)
      .namespace("default")
      .create({ metadata: { name: "quota" }, spec: { hard, scopeSelector: { matchExpressions } } });
    const isUsed = (count: string) => (quota: DeepReadonly<ResourceQuota> | undefined) =>
      quota?.status?.used?.["persistentvolumeclaims"] === count;
    const quota = await cluster.until(ResourceQuota, "default/quota", isUsed("1"));
    expect(quota?.status?.used).toEqual({ persistentvolumeclaims: "1", "requests.storage": "1Gi" });
    await claims.delete("fast");
    await cluster.until(ResourceQuota, "default/quota", isUsed("0"));
  });

  it("counts a fraction of a byte as a byte, when a claim is created and later", async () => {
    await using cluster = await start({ hard: { "requests.storage": "10Gi", "count/persistentvolumeclaims": "5" } });
    const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
    for (const [name, storage] of [
      ["odd", "0.1Gi"],
      ["even", "1Gi"],
    ] as const)
      await claims.create({
        metadata: { name },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
      });
    const used = { "requests.storage": "1181116007", "count/persistentvolumeclaims": "2" };
    expect(await usedOf(cluster)).toEqual(used);
    await cluster.advance("5m");
    expect(await usedOf(cluster)).toEqual(used);
    await claims.delete("even");
    expect(await usedOf(cluster)).toEqual({ "requests.storage": "107374183", "count/persistentvolumeclaims": "1" });
  });

  it("falls when a pod ends, is deleted, or when an object of a counted kind is deleted", async () => {
    await using cluster = await start({ hard: { pods: "2", "count/configmaps": "4" } });
    await createPod(cluster, "web");
    await createPod(cluster, "task", {}, "task:1");
    expect(await usedOf(cluster)).toEqual({ pods: "1", "count/configmaps": "1" });
    const maps = cluster.client.resource(ConfigMap).namespace("default");
    await maps.create({ metadata: { name: "settings" } });
    expect(await usedOf(cluster)).toMatchObject({ "count/configmaps": "2" });
    await maps.delete("settings");
    await cluster.client.resource(Pod).namespace("default").delete("web", { gracePeriodSeconds: 0 });
    expect(await usedOf(cluster)).toEqual({ pods: "0", "count/configmaps": "1" });
  });

  it("falls within five minutes when a deleted pod is stuck on a lost node", async () => {
    await using cluster = await start({ hard: { pods: "5" } });
    await createPod(cluster, "web");
    await cluster.nodes("node-1").partition();
    await cluster.client.resource(Pod).namespace("default").delete("web", { gracePeriodSeconds: 10 });
    await cluster.advance("15s");
    expect(await usedOf(cluster)).toEqual({ pods: "1" });
    await cluster.advance("5m");
    expect(await usedOf(cluster)).toEqual({ pods: "0" });
  });

  it("follows a pod that is resized, and one that gets a deadline", async () => {
    await using cluster = await start({ hard: { cpu: "5" }, scopes: ["NotTerminating"] });
    await createPod(cluster, "web");
    const pods = cluster.client.resource(Pod).namespace("default");
    const resize = async (cpu: string): Promise<void> => {
      const containers = [{ name: "main", resources: { requests: { cpu } } }];
      await pods.subresource("resize").patch("web", { type: "strategic", patch: { spec: { containers } } });
      await cluster.advance("2s");
    };
    await resize("900m");
    expect(await usedOf(cluster)).toEqual({ cpu: "900m" });
    await resize("300m");
    expect(await usedOf(cluster)).toEqual({ cpu: "300m" });
    await pods.patch("web", { type: "merge", patch: { spec: deadline } });
    expect(await usedOf(cluster)).toEqual({ cpu: "0" });
  });

  it("counts pods that are created at the same time", async () => {
    await using cluster = await start({ hard: { pods: "2" } });
    const names = ["a", "b", "c", "d", "e"];
    const results = await Promise.allSettled(names.map((name) => createPod(cluster, name)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(await usedOf(cluster)).toEqual({ pods: "2" });
  });

  it("lets no pod exceed it, and a ReplicaSet reports that", async () => {
    await using cluster = await start({ hard: { pods: "1" } });
    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } };
    const spec = { replicas: 2, selector: { matchLabels: { app: "web" } }, template };
    await cluster.client
      .resource(Deployment)
      .namespace("default")
      .create({ metadata: { name: "web" }, spec });
    await cluster.settled();
    const { items } = await cluster.client.resource(ReplicaSet).namespace("default").list();
    expect(items[0]?.status).toMatchObject({
      replicas: 1,
      conditions: [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate" }],
    });
    await expect(createPod(cluster, "other")).rejects.toSatisfy(isForbidden);
  });
});

it("pod that one ResourceQuota refuses isn't charged to another one", async () => {
  await using cluster = await start({ hard: { pods: "5" } });
  await cluster.client
    .resource(ResourceQuota)
    .namespace("default")
    .create({ metadata: { name: "zero" }, spec: { hard: { "count/pods": "0" } } });
  await cluster.settled();
  await expect(createPod(cluster, "web")).rejects.toSatisfy(isForbidden);
  const { status } = await cluster.client.resource(ResourceQuota).namespace("default").get("quota");
  expect(status?.used).toEqual({ pods: "0" });
});
