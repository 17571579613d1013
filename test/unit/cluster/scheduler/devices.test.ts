import { expect, it } from "vitest";
import type { Cluster } from "../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import { explainClaims } from "../../../../src/cluster/explain-claims.js";
import { PersistentVolumeClaim, Pod, type PodResourceClaim } from "../../../../src/kinds/core/v1.js";
import { type Device, DeviceClass, ResourceClaim, ResourceSlice } from "../../../../src/kinds/resource/v1.js";
import { StorageClass } from "../../../../src/kinds/storage/v1.js";

const driver = "gpu.example.com";

async function createClass(cluster: Cluster): Promise<void> {
  const expression = `device.driver == "${driver}"`;
  await cluster.client
    .resource(DeviceClass)
    .create({ metadata: { name: "gpu" }, spec: { selectors: [{ cel: { expression } }] } });
}

async function createSlice(cluster: Cluster, nodeName: string, devices: Device[]): Promise<void> {
  const pool = { name: nodeName, generation: 1, resourceSliceCount: 1 };
  await cluster.client
    .resource(ResourceSlice)
    .create({ metadata: { name: nodeName }, spec: { driver, nodeName, pool, devices } });
}

async function createClaim(cluster: Cluster, name: string, expression = "true"): Promise<void> {
  const exactly = { deviceClassName: "gpu", selectors: [{ cel: { expression } }] };
  await cluster.client
    .resource(ResourceClaim)
    .namespace("default")
    .create({
      metadata: { name },
      spec: { devices: { requests: [{ name: "one", exactly }] } },
    });
}

async function createPod(
  cluster: Cluster,
  name: string,
  claim: string,
  nodeSelector: Record<string, string> = {},
  nodeName?: string,
): Promise<Pod> {
  const resourceClaims: PodResourceClaim[] = [{ name: "gpu", resourceClaimName: claim }];
  return cluster.client
    .resource(Pod)
    .namespace("default")
    .create({
      metadata: { name },
      spec: { containers: [{ name: "main", image: "web:1" }], nodeName, nodeSelector, resourceClaims },
    });
}

it("a pod runs on the node of a device that is allocated for its claim", async () => {
  await using cluster = await createCluster({ nodes: 2, time: "virtual", seed: 1 });
  await createClass(cluster);
  await createSlice(cluster, "node-2", [{ name: "gpu-0" }]);
  await createClaim(cluster, "gpu");
  const { metadata } = await createPod(cluster, "web", "gpu");
  await cluster.settled();
  const pod = await cluster.client.resource(Pod).namespace("default").get("web");
  expect([pod.spec?.nodeName, pod.status?.phase]).toEqual(["node-2", "Running"]);
  const claim = await cluster.client.resource(ResourceClaim).namespace("default").get("gpu");
  expect(claim.metadata!.finalizers).toEqual(["resource.kubernetes.io/delete-protection"]);
  const thisNode = { key: "metadata.name", operator: "In", values: ["node-2"] };
  expect(claim.status).toEqual({
    allocation: {
      allocationTimestamp: expect.any(String),
      devices: { results: [{ request: "one", driver, pool: "node-2", device: "gpu-0" }] },
      nodeSelector: { nodeSelectorTerms: [{ matchFields: [thisNode] }] },
    },
    reservedFor: [{ resource: "pods", name: "web", uid: metadata!.uid }],
  });
});

it("a pod waits for a device that another claim uses", async () => {
  await using cluster = await createCluster({ nodes: 2, time: "virtual", seed: 1 });
  await createClass(cluster);
  await createSlice(cluster, "node-2", [{ name: "gpu-0" }]);
  for (const name of ["first", "second"]) {
    await createClaim(cluster, name);
    await createPod(cluster, name, name);
    await cluster.settled();
  }
  const pod = await cluster.client.resource(Pod).namespace("default").get("second");
  expect(pod.status?.conditions).toEqual([
    expect.objectContaining({
      type: "PodScheduled",
      reason: "Unschedulable",
      message:
        "0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
    }),
  ]);
});

it("pods that are created at the same time get different devices", async () => {
  await using cluster = await createCluster({ nodes: 1, time: "virtual", seed: 1 });
  await createClass(cluster);
  const names = ["gpu-0", "gpu-1", "gpu-2"];
  await createSlice(
    cluster,
    "node-1",
    names.map((name) => ({ name })),
  );
  for (const name of names) await createClaim(cluster, name);
  await Promise.all(names.map((name) => createPod(cluster, name, name)));
  await cluster.settled();
  const { items } = await cluster.client.resource(ResourceClaim).namespace("default").list();
  const devices = items.flatMap(({ status }) => status?.allocation?.devices?.results ?? []).map(({ device }) => device);
  expect(devices.sort()).toEqual(names);
});

it("a reservation is taken back when the pod can't be bound", async () => {
  await using cluster = await createCluster({ nodes: 1, time: "virtual", seed: 1 });
  await createClass(cluster);
  await createSlice(cluster, "node-1", [{ name: "gpu-0" }]);
  await createClaim(cluster, "gpu");
  const match = { path: /\/binding$/ };
  cluster.server.faults.add({ match, effect: { type: "status", code: 403 }, times: 1 });
  await createPod(cluster, "web", "gpu");
  await cluster.settled();
  const claims = cluster.client.resource(ResourceClaim).namespace("default");
  const { status } = await claims.get("gpu");
  expect([status?.allocation?.devices?.results?.length, status?.reservedFor]).toEqual([1, undefined]);
  await cluster.advance("2s");
  expect((await claims.get("gpu")).status?.reservedFor).toHaveLength(1);
  expect((await cluster.client.resource(Pod).namespace("default").get("web")).status?.phase).toBe("Running");
});

it("a pod waits without an event for a claim that doesn't exist", async () => {
  await using cluster = await createCluster({ nodes: 1, time: "virtual", seed: 1 });
  await createClass(cluster);
  await createSlice(cluster, "node-1", [{ name: "gpu-0" }]);
  await createPod(cluster, "early", "gpu");
  await cluster.settled();
  expect(await cluster.events("default/early")).toEqual([]);
  await createClaim(cluster, "gpu");
  await cluster.settled();
  const pod = await cluster.client.resource(Pod).namespace("default").get("early");
  expect(pod.status?.phase).toBe("Running");
});

it("a selector that fails is reported as an error of the scheduler", async () => {
  await using cluster = await createCluster({ nodes: 1, time: "virtual", seed: 1 });
  await createClass(cluster);
  await createSlice(cluster, "node-1", [{ name: "gpu-0" }]);
  await createClaim(cluster, "bad", `device.attributes["${driver}"].missing`);
  await createPod(cluster, "web", "bad");
  await cluster.settled();
  const { status } = await cluster.client.resource(Pod).namespace("default").get("web");
  const message =
    'running "DynamicResources" filter plugin: claim default/bad: selector #0: CEL runtime error: no such key: missing';
  expect(status?.conditions).toEqual([expect.objectContaining({ reason: "SchedulerError", message })]);
});

it("an allocation that keeps a pod from its node is taken back if no other pod uses it", async () => {
  await using cluster = await createCluster({ nodes: 2, time: "virtual", seed: 1 });
  await createClass(cluster);
  for (const node of ["node-1", "node-2"]) await createSlice(cluster, node, [{ name: "gpu-0" }]);
  await createClaim(cluster, "gpu");
  const thisNode = { key: "metadata.name", operator: "In" as const, values: ["node-1"] };
  await cluster.client
    .resource(ResourceClaim)
    .namespace("default")
    .subresource("status")
    .update("gpu", (claim) => ({
      ...claim,
      status: {
        allocation: {
          devices: { results: [{ request: "one", driver, pool: "node-1", device: "gpu-0" }] },
          nodeSelector: { nodeSelectorTerms: [{ matchFields: [thisNode] }] },
        },
      },
    }));
  await createPod(cluster, "web", "gpu", { "kubernetes.io/hostname": "node-2" });
  await cluster.settled();
  await cluster.advance("2s");
  const pod = await cluster.client.resource(Pod).namespace("default").get("web");
  expect(pod.spec?.nodeName).toBe("node-2");
  expect((await cluster.events("default/web")).map(({ message }) => message)).toContain(
    "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 resourceclaim not available on the node. deallocation of ResourceClaim completed, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
  );
});

it("a pod that is assigned without a scheduler waits on its node until its claim is allocated, then it is reserved", async () => {
  await using cluster = await createCluster({ nodes: 1, time: "virtual", seed: 1 });
  await createClaim(cluster, "gpu");
  const claims = cluster.client.resource(ResourceClaim).namespace("default");
  const { metadata } = await createPod(cluster, "web", "gpu", undefined, "node-1");
  await cluster.settled();
  const phase = async (): Promise<string | undefined> =>
    (await cluster.client.resource(Pod).namespace("default").get("web")).status?.phase;
  expect(await phase()).toBe("Pending");
  expect((await cluster.events("default/web")).map(({ message }) => message)).toEqual([
    "Failed to prepare dynamic resources: ResourceClaim gpu isn't reserved for the pod",
  ]);
  const results = [{ request: "one", driver, pool: "node-1", device: "gpu-0" }];
  await claims
    .subresource("status")
    .update("gpu", (claim) => ({ ...claim, status: { allocation: { devices: { results } } } }));
  await cluster.advance("1s");
  expect((await claims.get("gpu")).status?.reservedFor).toEqual([
    { resource: "pods", name: "web", uid: metadata!.uid },
  ]);
  expect(await phase()).toBe("Running");
});

const attached: Device = { name: "gpu-0", bindingConditions: ["Attached"], bindingFailureConditions: ["Broken"] };

async function preparedFor(cluster: Cluster, condition: string): Promise<void> {
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const conditions = [{ type: condition, status: "True", reason: "Driver", message: "done", lastTransitionTime }];
  await cluster.client
    .resource(ResourceClaim)
    .namespace("default")
    .subresource("status")
    .patch("gpu", {
      type: "merge",
      patch: { status: { devices: [{ driver, pool: "node-1", device: "gpu-0", conditions }] } },
    } as never);
}

async function startWaiting(): Promise<Cluster> {
  const cluster = await createCluster({ nodes: 1, time: "virtual", seed: 1 });
  await createClass(cluster);
  await createSlice(cluster, "node-1", [attached]);
  await createClaim(cluster, "gpu");
  await createPod(cluster, "web", "gpu");
  await cluster.settled();
  return cluster;
}

const scheduled = async (cluster: Cluster): Promise<string | undefined> => {
  const { spec, status } = await cluster.client.resource(Pod).namespace("default").get("web");
  return spec?.nodeName ?? status?.conditions?.find(({ type }) => type === "PodScheduled")?.message;
};

it("a pod is bound once the driver has prepared its device", async () => {
  await using cluster = await startWaiting();
  await cluster.advance("5m");
  expect(await scheduled(cluster)).toBeUndefined();
  const pods = await cluster.client.resource(Pod).namespace("default").list();
  expect(await explainClaims(cluster.client, pods.items)).toEqual([
    "web: gpu: gpu is allocated, but its driver hasn't set all binding conditions",
  ]);
  expect((await cluster.events("default/web")).map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
    "BindingConditionsPending: waiting for binding conditions for device on node node-1",
  ]);
  await preparedFor(cluster, "Attached");
  await cluster.settled();
  expect(await scheduled(cluster)).toBe("node-1");
});

it("a device that its driver fails to prepare is deallocated, and allocated again", async () => {
  await using cluster = await startWaiting();
  await preparedFor(cluster, "Broken");
  await cluster.settled();
  expect(await scheduled(cluster)).toBe(
    'running PreBind plugin "DynamicResources": device binding failed: claim=gpu, reason=Driver, message="done"',
  );
  await cluster.advance("2s");
  expect(await scheduled(cluster)).toContain("deallocation of ResourceClaim completed");
  await cluster.advance("1m");
  await preparedFor(cluster, "Attached");
  await cluster.settled();
  expect(await scheduled(cluster)).toBe("node-1");
});

it("a device that its driver doesn't prepare within ten minutes is deallocated", async () => {
  await using cluster = await startWaiting();
  await cluster.advance("10m");
  await cluster.advance("1s");
  const messages = (await cluster.events("default/web")).map(({ message }) => message);
  expect(messages).toContain('running PreBind plugin "DynamicResources": device binding timeout: claim=gpu');
});

it("a pod that waits for its device leaves nothing open when its cluster is closed", async () => {
  await using cluster = await startWaiting();
  expect(await scheduled(cluster)).toBeUndefined();
});

it("a pod whose device fails gives up its volume at once, and the place on its node", async () => {
  await using cluster = await createCluster({ nodes: 1, time: "virtual", seed: 1 });
  const { client } = cluster;
  cluster.controllers.pause("persistentvolume-binder");
  await createClass(cluster);
  await createSlice(cluster, "node-1", [attached]);
  await createClaim(cluster, "gpu");
  await client.resource(StorageClass).create({
    metadata: { name: "cloud" },
    provisioner: "example.com/disk",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  const volumes = client.resource(PersistentVolumeClaim).namespace("default");
  await volumes.create({
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "cloud", resources: { requests: { storage: "1Gi" } } },
  });
  const pods = client.resource(Pod).namespace("default");
  const cpu = { resources: { requests: { cpu: "5" } } };
  await pods.create({
    metadata: { name: "web" },
    spec: {
      containers: [{ name: "main", image: "web:1", ...cpu }],
      resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
    },
  });
  await cluster.settled();
  await pods.create({ metadata: { name: "next" }, spec: { containers: [{ name: "main", image: "web:1", ...cpu }] } });
  await cluster.settled();
  expect((await pods.get("web")).status?.nominatedNodeName).toBe("node-1");
  expect((await pods.get("next")).spec?.nodeName).toBeUndefined();
  await preparedFor(cluster, "Broken");
  await cluster.settled();
  expect(await scheduled(cluster)).toContain('running PreBind plugin "DynamicResources": device binding failed');
  expect((await pods.get("next")).spec?.nodeName).toBe("node-1");
});

it("a pod that is deleted while it waits for its device leaves the device to others", async () => {
  await using cluster = await startWaiting();
  const pods = cluster.client.resource(Pod).namespace("default");
  await pods.delete("web");
  await cluster.settled();
  await createPod(cluster, "next", "gpu");
  await cluster.settled();
  await preparedFor(cluster, "Attached");
  await cluster.settled();
  expect((await pods.get("next")).spec?.nodeName).toBe("node-1");
});
