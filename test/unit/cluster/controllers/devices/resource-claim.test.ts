import { expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { Pod, type PodSpec, ResourceQuota } from "../../../../../src/kinds/core/v1.js";
import {
  DeviceClass,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from "../../../../../src/kinds/resource/v1.js";

const containers = [{ name: "main", image: "web:1" }];
const spec: PodSpec = { containers, resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "gpu" }] };

async function createTemplate(cluster: Cluster): Promise<void> {
  await cluster.client
    .resource(ResourceClaimTemplate)
    .namespace("default")
    .create({
      metadata: { name: "gpu" },
      spec: {
        metadata: { labels: { team: "a" }, annotations: { note: "b" } },
        spec: { devices: { requests: [{ name: "one", exactly: { deviceClassName: "gpu" } }] } },
      },
    });
}

async function claimsOf(cluster: Cluster): Promise<ResourceClaim[]> {
  return (await cluster.client.resource(ResourceClaim).namespace("default").list()).items;
}

it("a pod with a template of a claim gets the claim, with its name in the status", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1 });
  const pods = cluster.client.resource(Pod).namespace("default");
  await createTemplate(cluster);
  const { metadata } = await pods.create({ metadata: { name: "web" }, spec });
  await cluster.settled();
  const [claim, ...others] = await claimsOf(cluster);
  expect(others).toEqual([]);
  expect(claim).toMatchObject({
    metadata: {
      generateName: "web-gpu-",
      labels: { team: "a" },
      annotations: { note: "b", "resource.kubernetes.io/pod-claim-name": "gpu" },
    },
    spec: { devices: { requests: [{ name: "one", exactly: { deviceClassName: "gpu" } }] } },
  });
  expect(claim!.metadata!.ownerReferences).toEqual([
    { apiVersion: "v1", kind: "Pod", name: "web", uid: metadata!.uid, controller: true },
  ]);
  const { status } = await pods.get("web");
  expect(status?.resourceClaimStatuses).toEqual([{ name: "gpu", resourceClaimName: claim!.metadata!.name }]);
  await pods.delete("web");
  await cluster.advance("1m");
  expect(await claimsOf(cluster)).toEqual([]);
});

it("a pod gets no second claim when the owner of its claim is removed", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1 });
  const { client } = cluster;
  await createTemplate(cluster);
  await client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name: "web" }, spec });
  await cluster.settled();
  const [claim] = await claimsOf(cluster);
  await client
    .resource(ResourceClaim)
    .namespace("default")
    .patch(claim!.metadata!.name!, { type: "merge", patch: { metadata: { ownerReferences: null } } });
  await client
    .resource(Pod)
    .namespace("default")
    .patch("web", { type: "merge", patch: { metadata: { labels: { changed: "yes" } } } });
  await cluster.settled();
  expect(await claimsOf(cluster)).toHaveLength(1);
});

/** Creates a device on the node of a cluster. */
async function createDevice({ client }: Cluster): Promise<void> {
  await client.resource(DeviceClass).create({ metadata: { name: "gpu" }, spec: {} });
  const spec = { driver: "gpu.example.com", nodeName: "node-1", devices: [{ name: "gpu-0" }] };
  await client.resource(ResourceSlice).create({
    metadata: { name: "node-1" },
    spec: { ...spec, pool: { name: "node-1", generation: 1, resourceSliceCount: 1 } },
  });
}

it("a claim that was made for a pod goes when the pod has ended", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1 });
  await createTemplate(cluster);
  await createDevice(cluster);
  const job = { ...spec, restartPolicy: "Never", containers: [{ name: "main", image: "tool:1", command: ["true"] }] };
  await cluster.client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name: "once" }, spec: job as PodSpec });
  await cluster.advance("5s");
  expect(await claimsOf(cluster)).toEqual([]);
});

it("a claim is deallocated when its last pod ends, and goes if it is being deleted", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1 });
  await createDevice(cluster);
  const claims = cluster.client.resource(ResourceClaim).namespace("default");
  const pods = cluster.client.resource(Pod).namespace("default");
  const exactly = { deviceClassName: "gpu" };
  await claims.create({ metadata: { name: "gpu" }, spec: { devices: { requests: [{ name: "one", exactly }] } } });
  const resourceClaims = [{ name: "gpu", resourceClaimName: "gpu" }];
  for (const name of ["a", "b"]) await pods.create({ metadata: { name }, spec: { containers, resourceClaims } });
  await cluster.settled();
  await cluster.advance("5s");
  expect((await claims.get("gpu")).status?.reservedFor?.map(({ name }) => name).sort()).toEqual(["a", "b"]);
  await pods.delete("a");
  await cluster.advance("1m");
  const { status } = await claims.get("gpu");
  expect([status?.reservedFor?.length, status?.allocation?.devices?.results?.length]).toEqual([1, 1]);
  await pods.delete("b");
  await cluster.advance("1m");
  const unused = await claims.get("gpu");
  expect([unused.status, unused.metadata?.finalizers]).toEqual([{}, undefined]);
  await pods.create({ metadata: { name: "c" }, spec: { containers, resourceClaims } });
  await cluster.settled();
  await claims.delete("gpu");
  await cluster.settled();
  expect((await claims.get("gpu")).metadata?.deletionTimestamp).toBeDefined();
  await pods.delete("c");
  await cluster.advance("1m");
  expect(await claimsOf(cluster)).toEqual([]);
});

it("an event reports the missing template of a pod, which gets its claim once the template exists", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1 });
  await cluster.client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name: "web" }, spec });
  await cluster.settled();
  expect(
    (await cluster.events("default/web")).filter(({ reason }) => reason === "FailedResourceClaimCreation"),
  ).toEqual([
    expect.objectContaining({
      type: "Warning",
      message:
        'PodResourceClaim gpu: resource claim template "gpu": resourceclaimtemplate.resource.k8s.io "gpu" not found',
    }),
  ]);
  await cluster.advance("1h");
  await createTemplate(cluster);
  await cluster.settled();
  expect(await claimsOf(cluster)).toHaveLength(1);
});

it("an event reports that the server refuses the claim of a pod", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1 });
  const { client } = cluster;
  const hard = { "count/resourceclaims.resource.k8s.io": "0" };
  await client
    .resource(ResourceQuota)
    .namespace("default")
    .create({ metadata: { name: "none" }, spec: { hard } });
  await cluster.until(ResourceQuota, "default/none", (quota) => quota?.status?.used !== undefined);
  await createTemplate(cluster);
  await client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name: "web" }, spec });
  await cluster.settled();
  const [event] = (await cluster.events("default/web")).filter(
    ({ reason }) => reason === "FailedResourceClaimCreation",
  );
  expect(event?.message).toMatch(
    /^PodResourceClaim gpu: create ResourceClaim : resourceclaims\.resource\.k8s\.io "web-gpu-.*" is forbidden: exceeded quota: none,/,
  );
});

it("a claim keeps the reservation for a consumer that isn't a pod, and loses that for a pod that is gone", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1 });
  await createTemplate(cluster);
  const { client } = cluster;
  await client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name: "web" }, spec });
  await cluster.settled();
  const claims = client.resource(ResourceClaim).namespace("default");
  const exactly = { deviceClassName: "gpu" };
  await claims.create({ metadata: { name: "own" }, spec: { devices: { requests: [{ name: "one", exactly }] } } });
  const widget = { apiGroup: "example.com", resource: "widgets", name: "gone", uid: "1" };
  await claims.subresource("status").update("own", (claim) => {
    claim.status = { allocation: {}, reservedFor: [widget, { resource: "pods", name: "gone", uid: "2" }] };
  });
  await cluster.settled();
  expect((await claims.get("own")).status).toMatchObject({ allocation: {}, reservedFor: [widget] });
});

it("a claim of a pod with a long name has a name with both parts", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1 });
  await createTemplate(cluster);
  const name = "p".repeat(60);
  const resourceClaims = [{ name: "c".repeat(30), resourceClaimTemplateName: "gpu" }];
  await cluster.client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name }, spec: { ...spec, resourceClaims } });
  await cluster.settled();
  const [claim] = await claimsOf(cluster);
  expect(claim!.metadata!.name).toMatch(/^p{37}-c{18}[a-z0-9]{5}$/);
});

it("claims, classes and slices of devices are read from the first pod with claims on", async () => {
  const read = new Set<string>();
  await using cluster = await createCluster({
    time: "virtual",
    server: {
      audit: {
        policy: { rules: [{ level: "Metadata" }] },
        sink: ({ objectRef }) => read.add(objectRef?.resource ?? ""),
      },
    },
  });
  const pods = cluster.client.resource(Pod).namespace("default");
  await pods.create({ metadata: { name: "plain" }, spec: { containers } });
  await cluster.settled();
  const kinds = ["resourceclaims", "deviceclasses", "resourceslices"];
  expect(read).toContain("pods");
  expect(kinds.filter((kind) => read.has(kind))).toEqual([]);
  await createTemplate(cluster);
  await pods.create({ metadata: { name: "web" }, spec });
  await cluster.settled();
  expect(kinds.filter((kind) => read.has(kind))).toEqual(kinds);
});
