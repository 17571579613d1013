import { expect, it } from "vitest";
import type { Cluster } from "../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import { Node, Pod, type PodSpec, ResourceQuota } from "../../../../src/kinds/core/v1.js";
import { type Device, DeviceClass, ResourceClaim, ResourceSlice } from "../../../../src/kinds/resource/v1.js";

const driver = "gpu.example.com";
const resource = "example.com/gpu";
const kinds = ["deviceclasses", "resourceclaims", "resourceslices"];

async function createClass(cluster: Cluster): Promise<void> {
  const selectors = [{ cel: { expression: `device.driver == "${driver}"` } }];
  await cluster.client
    .resource(DeviceClass)
    .create({ metadata: { name: "gpu" }, spec: { selectors, extendedResourceName: resource } });
}

async function createDevices(cluster: Cluster, nodeName: string, devices: Device[]): Promise<void> {
  const pool = { name: nodeName, generation: 1, resourceSliceCount: 1 };
  await cluster.client
    .resource(ResourceSlice)
    .create({ metadata: { name: nodeName }, spec: { driver, nodeName, pool, devices } });
}

async function createPod(cluster: Cluster, name: string, spec: Partial<PodSpec> = {}, count = "1"): Promise<void> {
  const resources = { limits: { [resource]: count } };
  const containers = [{ name: "main", image: "web:1", resources }];
  await cluster.client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name }, spec: { containers, ...spec } });
}

/** Creates a cluster with a node that has devices, and their class. */
async function createDeviceCluster(devices: Device[] = [{ name: "gpu-0" }]): Promise<Cluster> {
  const cluster = await createCluster({ nodes: 1, time: "virtual", seed: 1 });
  await createClass(cluster);
  await createDevices(cluster, "node-1", devices);
  return cluster;
}

const getPod = (cluster: Cluster, name: string): Promise<Pod> =>
  cluster.client.resource(Pod).namespace("default").get(name);
const phaseOf = async (cluster: Cluster, name: string): Promise<string> => (await getPod(cluster, name)).status!.phase!;
const listClaims = async (cluster: Cluster): Promise<ResourceClaim[]> =>
  (await cluster.client.resource(ResourceClaim).namespace("default").list()).items;
const offer = (cluster: Cluster, node: string): Promise<Node> =>
  cluster.client
    .resource(Node)
    .subresource("status")
    .patch(node, { type: "merge", patch: { status: { allocatable: { [resource]: "1" } } } });

/** Returns the reason and the message of the condition `PodScheduled`. */
async function whyNotScheduled(cluster: Cluster, name: string): Promise<string> {
  const { status } = await getPod(cluster, name);
  const { reason, message } = status!.conditions!.find(({ type }) => type === "PodScheduled")!;
  return `${reason}: ${message}`;
}

it("a pod gets its extended resource from devices, which other pods then wait for", async () => {
  await using cluster = await createDeviceCluster([{ name: "gpu-0" }, { name: "gpu-1" }]);
  await createPod(cluster, "web", {}, "2");
  await createPod(cluster, "next");
  await cluster.settled();
  const { metadata, status } = await getPod(cluster, "web");
  const [claim, ...others] = await listClaims(cluster);
  expect(others).toEqual([]);
  expect(claim).toMatchObject({
    metadata: {
      name: expect.stringMatching(/^web-extended-resources-[a-z0-9]{5}$/),
      finalizers: ["resource.kubernetes.io/delete-protection"],
    },
    spec: {
      devices: {
        requests: [
          {
            name: "container-0-request-0",
            exactly: { allocationMode: "ExactCount", count: 2, deviceClassName: "gpu" },
          },
        ],
      },
    },
    status: {
      allocation: { devices: { results: [{ device: "gpu-0" }, { device: "gpu-1" }] } },
      reservedFor: [{ resource: "pods", name: "web", uid: metadata!.uid }],
    },
  });
  expect(status).toMatchObject({
    phase: "Running",
    extendedResourceClaimStatus: {
      resourceClaimName: claim!.metadata!.name!,
      requestMappings: [{ containerName: "main", resourceName: resource, requestName: "container-0-request-0" }],
    },
  });
  expect(await whyNotScheduled(cluster, "next")).toBe(
    "Unschedulable: 0/1 nodes are available: 1 cannot allocate all claims. still not schedulable, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
  );
});

it("the claim for extended resources is deleted when its pod ends, and another pod gets the devices", async () => {
  await using cluster = await createDeviceCluster();
  await createPod(cluster, "first", { restartPolicy: "Never" });
  await createPod(cluster, "second");
  await cluster.settled();
  await cluster.pods({ name: "first" }).crash({ exitCode: 0 });
  await cluster.advance("10s");
  expect(await phaseOf(cluster, "first")).toBe("Succeeded");
  expect(await phaseOf(cluster, "second")).toBe("Running");
  await cluster.client.resource(Pod).namespace("default").delete("second");
  await cluster.advance("1m");
  expect(await listClaims(cluster)).toEqual([]);
});

it("pods with extended resources that are created at the same time get different devices", async () => {
  const devices = ["gpu-0", "gpu-1", "gpu-2"];
  await using cluster = await createDeviceCluster(devices.map((name) => ({ name })));
  await Promise.all(devices.map((name) => createPod(cluster, name)));
  await cluster.settled();
  const results = (await listClaims(cluster)).flatMap(({ status }) => status!.allocation!.devices!.results!);
  expect(results.map(({ device }) => device).sort()).toEqual(devices);
});

it("a pod that waits for an extended resource runs once a device class has it", async () => {
  await using cluster = await createCluster({ nodes: 1, time: "virtual", seed: 1 });
  await createDevices(cluster, "node-1", [{ name: "gpu-0" }]);
  await createPod(cluster, "web");
  await cluster.settled();
  expect(await whyNotScheduled(cluster, "web")).toContain(`1 Insufficient ${resource}`);
  await createClass(cluster);
  await cluster.advance("10s");
  expect(await phaseOf(cluster, "web")).toBe("Running");
});

it("classes of devices are read for an extended resource that a node lacks, the devices if a class has it", async () => {
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
  const readKinds = (): string[] => kinds.filter((kind) => read.has(kind));
  for (const { metadata } of (await cluster.client.resource(Node).list()).items) await offer(cluster, metadata!.name!);
  await createPod(cluster, "offered");
  await cluster.settled();
  expect(await phaseOf(cluster, "offered")).toBe("Running");
  expect(readKinds()).toEqual([]);
  const resources = { limits: { "example.com/other": "1" } };
  await createPod(cluster, "other", { containers: [{ name: "main", image: "web:1", resources }] });
  await cluster.settled();
  expect(readKinds()).toEqual(["deviceclasses"]);
  await cluster.client
    .resource(DeviceClass)
    .create({ metadata: { name: "other" }, spec: { extendedResourceName: "example.com/other" } });
  await cluster.advance("10s");
  expect(await whyNotScheduled(cluster, "other")).toContain("cannot allocate all claims");
  expect(readKinds()).toEqual(kinds);
});

it("a claim for extended resources is deleted when its pod can't be bound", async () => {
  await using cluster = await createDeviceCluster();
  const match = { path: /\/binding$/ };
  cluster.server.faults.add({ match, effect: { type: "status", code: 403 }, times: 1 });
  await createPod(cluster, "web");
  await cluster.settled();
  expect(await listClaims(cluster)).toEqual([]);
  await cluster.advance("2s");
  expect(await listClaims(cluster)).toHaveLength(1);
  expect(await phaseOf(cluster, "web")).toBe("Running");
});

it("a claim for extended resources is deleted when it can't be recorded in the status of its pod", async () => {
  await using cluster = await createDeviceCluster();
  const match = { path: /\/pods\/web\/status$/, method: "PATCH" };
  // The first request nominates the node.
  cluster.server.faults.add({ match, effect: { type: "status", code: 403 }, times: 2 });
  await createPod(cluster, "web");
  await cluster.settled();
  expect(await listClaims(cluster)).toEqual([]);
  await cluster.advance("2s");
  expect(await phaseOf(cluster, "web")).toBe("Running");
});

it("a quota that refuses the claim for a pod's extended resources is reported, and the pod runs once it doesn't", async () => {
  await using cluster = await createDeviceCluster();
  const quotas = cluster.client.resource(ResourceQuota).namespace("default");
  const name = "count/resourceclaims.resource.k8s.io";
  await quotas.create({ metadata: { name: "none" }, spec: { hard: { [name]: "0" } } });
  await createPod(cluster, "web");
  await cluster.advance("1m");
  expect(await whyNotScheduled(cluster, "web")).toMatch(
    /^SchedulerError: running PreBind plugin "DynamicResources": create claim for extended resources default\/: resourceclaims.resource.k8s.io "web-extended-resources-\w+" is forbidden: exceeded quota: none/,
  );
  const events = await cluster.events("default/web");
  expect(events.length).toBeLessThan(20);
  await quotas.delete("none");
  await cluster.advance("20s");
  expect(await phaseOf(cluster, "web")).toBe("Running");
});

it("a node that offers an extended resource itself doesn't allocate devices for it", async () => {
  await using cluster = await createDeviceCluster();
  await offer(cluster, "node-1");
  await createPod(cluster, "web");
  await createPod(cluster, "next");
  await cluster.settled();
  expect(await phaseOf(cluster, "web")).toBe("Running");
  expect(await listClaims(cluster)).toEqual([]);
  expect(await whyNotScheduled(cluster, "next")).toContain(`1 Insufficient ${resource}`);
});

it("a pod with a claim isn't bound to a node that offers an extended resource of a device class itself", async () => {
  await using cluster = await createDeviceCluster();
  await offer(cluster, "node-1");
  const requests = [{ name: "one", exactly: { deviceClassName: "gpu" } }];
  await cluster.client
    .resource(ResourceClaim)
    .namespace("default")
    .create({ metadata: { name: "own" }, spec: { devices: { requests } } });
  await createPod(cluster, "web", { resourceClaims: [{ name: "gpu", resourceClaimName: "own" }] });
  await cluster.settled();
  expect(await whyNotScheduled(cluster, "web")).toBe(
    'SchedulerError: running PreBind plugin "DynamicResources": nil or empty request mappings, no update of pod default/web ExtendedResourceClaimStatus',
  );
});

it("the claim of an earlier attempt is deleted before a pod gets its extended resources", async () => {
  await using cluster = await createCluster({ nodes: 1, time: "virtual", seed: 1 });
  await createClass(cluster);
  await createPod(cluster, "web");
  await cluster.settled();
  const { metadata } = await getPod(cluster, "web");
  const owner = { apiVersion: "v1", kind: "Pod", name: "web", uid: metadata!.uid!, controller: true };
  const exactly = { deviceClassName: "gpu" };
  await cluster.client
    .resource(ResourceClaim)
    .namespace("default")
    .create({
      metadata: {
        name: "earlier",
        annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
        ownerReferences: [owner],
      },
      spec: { devices: { requests: [{ name: "container-0-request-0", exactly }] } },
    });
  await createDevices(cluster, "node-1", [{ name: "gpu-0" }]);
  await cluster.advance("5s");
  expect((await cluster.events("default/web")).map(({ message }) => message)).toContain(
    "0/1 nodes are available: 1 cannot schedule extended resource claim. deletion of ResourceClaim completed, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
  );
  await cluster.advance("1m");
  expect(await phaseOf(cluster, "web")).toBe("Running");
  expect((await listClaims(cluster)).map((claim) => claim.metadata!.name)).not.toContain("earlier");
});

it("a pod that is deleted while it waits for the devices of its extended resources leaves them to others", async () => {
  await using cluster = await createDeviceCluster([
    { name: "gpu-0", bindingConditions: ["Attached"], bindingFailureConditions: ["Broken"] },
  ]);
  await createPod(cluster, "web");
  await cluster.settled();
  expect((await listClaims(cluster)).length).toBe(1);
  await cluster.client.resource(Pod).namespace("default").delete("web");
  await cluster.advance("10s");
  expect(await listClaims(cluster)).toEqual([]);
});

it("a node accepts a pod whose extended resources come from a claim, although it offers none of them", async () => {
  await using cluster = await createDeviceCluster();
  const status = { allocatable: { [resource]: "0" } };
  await cluster.client.resource(Node).subresource("status").patch("node-1", { type: "merge", patch: { status } });
  await createPod(cluster, "web");
  await cluster.settled();
  expect(await phaseOf(cluster, "web")).toBe("Running");
  await createPod(cluster, "assigned", { nodeName: "node-1" });
  await cluster.settled();
  expect((await getPod(cluster, "assigned")).status).toMatchObject({ phase: "Failed", reason: `OutOf${resource}` });
});
