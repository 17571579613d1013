import { expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { isForbidden } from "../../../../../src/errors/predicates.js";
import { Pod, ResourceQuota } from "../../../../../src/kinds/core/v1.js";
import { DeviceClass, type DeviceRequest, ResourceClaim, ResourceSlice } from "../../../../../src/kinds/resource/v1.js";
import type { ObjectMeta } from "../../../../../src/meta/object.js";

const byClass = "gpu.deviceclass.resource.k8s.io/devices";
const implicit = "requests.deviceclass.resource.kubernetes.io/gpu";
const explicit = "requests.example.com/gpu";

async function start(): Promise<Cluster> {
  const cluster = await createCluster({ nodes: 1, time: "virtual", seed: 1 });
  const { client } = cluster;
  await client
    .resource(DeviceClass)
    .create({ metadata: { name: "gpu" }, spec: { extendedResourceName: "example.com/gpu" } });
  const pool = { name: "node-1", generation: 1, resourceSliceCount: 1 };
  const devices = [{ name: "gpu-0" }, { name: "gpu-1" }];
  await client
    .resource(ResourceSlice)
    .create({ metadata: { name: "node-1" }, spec: { driver: "gpu.example.com", nodeName: "node-1", pool, devices } });
  return cluster;
}

async function limit(cluster: Cluster, hard: Record<string, string>): Promise<void> {
  await cluster.client
    .resource(ResourceQuota)
    .namespace("default")
    .create({ metadata: { name: "quota" }, spec: { hard } });
  await cluster.settled();
}

async function usedOf(cluster: Cluster): Promise<unknown> {
  await cluster.settled();
  return (await cluster.client.resource(ResourceQuota).namespace("default").get("quota")).status?.used;
}

async function createPod(cluster: Cluster, name: string): Promise<Pod> {
  const resources = { limits: { "example.com/gpu": "1" } };
  const containers = [{ name: "main", image: "web:1", resources }];
  const pod = await cluster.client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name }, spec: { containers } });
  await cluster.settled();
  return pod;
}

async function createClaim(cluster: Cluster, metadata: ObjectMeta, request: DeviceRequest): Promise<void> {
  await cluster.client
    .resource(ResourceClaim)
    .namespace("default")
    .create({ metadata, spec: { devices: { requests: [request] } } });
}

/** Returns the metadata of a claim for the extended resources of a pod. */
function claimFor({ metadata }: Pod, name: string): ObjectMeta {
  const { name: owner, uid } = metadata!;
  return {
    name,
    annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: owner!, uid: uid!, controller: true }],
  };
}

const exactly = (name: string, more: object = {}): DeviceRequest => ({
  name,
  exactly: { deviceClassName: "gpu", ...more },
});

it.each(["before", "after"])(
  "a quota that is created %s claims counts their devices, and as extended resources those that no pod is charged for",
  async (order) => {
    await using cluster = await start();
    const hard = { [byClass]: "50", [implicit]: "50", [explicit]: "50" };
    if (order === "before") await limit(cluster, hard);
    await createPod(cluster, "web");
    await createClaim(cluster, { name: "own" }, exactly("one", { allocationMode: "ExactCount", count: 2 }));
    await createClaim(cluster, { name: "all" }, exactly("all", { allocationMode: "All" }));
    if (order === "after") await limit(cluster, hard);
    expect(await usedOf(cluster)).toEqual({ [byClass]: "35", [implicit]: "35", [explicit]: "35" });
    await cluster.client.resource(ResourceClaim).namespace("default").delete("all");
    expect(await usedOf(cluster)).toEqual({ [byClass]: "3", [implicit]: "3", [explicit]: "3" });
    await cluster.client.resource(Pod).namespace("default").delete("web");
    await cluster.advance("1m");
    expect(await usedOf(cluster)).toEqual({ [byClass]: "2", [implicit]: "2", [explicit]: "2" });
  },
);

it("a claim that isn't the first one for a pod's extended resources is charged to a quota of the resource", async () => {
  await using cluster = await start();
  const pod = await createPod(cluster, "web");
  await limit(cluster, { [explicit]: "2" });
  expect(await usedOf(cluster)).toEqual({ [explicit]: "1" });
  await createClaim(cluster, claimFor(pod, "second"), exactly("one"));
  expect(await usedOf(cluster)).toEqual({ [explicit]: "2" });
  const third = createClaim(cluster, claimFor(pod, "third"), exactly("one"));
  await expect(third).rejects.toSatisfy(isForbidden);
});

it("a quota counts the oldest claim for a pod's extended resources with the pod until its status names one", async () => {
  await using cluster = await start();
  const resources = { limits: { "example.com/gpu": "2" } };
  const pod = await cluster.client
    .resource(Pod)
    .namespace("default")
    .create({
      metadata: { name: "web" },
      spec: { schedulerName: "other", containers: [{ name: "main", image: "web:1", resources }] },
    });
  await createClaim(cluster, claimFor(pod, "older"), exactly("one"));
  await cluster.advance("2s");
  await createClaim(cluster, claimFor(pod, "newer"), exactly("two", { allocationMode: "ExactCount", count: 2 }));
  await limit(cluster, { [explicit]: "9" });
  expect(await usedOf(cluster)).toEqual({ [explicit]: "4" });
});
