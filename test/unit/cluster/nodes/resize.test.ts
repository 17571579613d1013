import { expect, it } from "vitest";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import { Event, Pod, type PodSpec, type ResourceRequirements } from "../../../../src/kinds/core/v1.js";

async function start() {
  const capacity = { cpu: "4", memory: "8Gi", pods: "10" };
  const nodes = [{ name: "node-1", capacity }];
  const cluster = await createCluster({ nodes, time: "virtual", seed: 1, controllers: [] });
  const pods = cluster.client.resource(Pod).namespace("default");
  const create = async (name: string, container: object, more: Partial<PodSpec> = {}): Promise<void> => {
    await pods.create({
      metadata: { name },
      spec: { containers: [{ name: "main", image: "web:1", ...container }], ...more },
    });
    await cluster.settled();
  };
  const resize = async (name: string, spec: object): Promise<void> => {
    await pods.subresource("resize").patch(name, { type: "strategic", patch: { spec } });
    await cluster.settled();
  };
  const conditions = async (name: string): Promise<(string | undefined)[][]> => {
    const { status } = await pods.get(name);
    const resizing = status!.conditions!.filter(({ type }) => type.startsWith("PodResize"));
    return resizing.map(({ type, reason, message }) => [type, reason, message].filter((each) => each !== undefined));
  };
  const reasons = async (): Promise<string[]> => {
    const { items } = await cluster.client.resource(Event).list();
    return items.map(({ reason = "" }) => reason).filter((reason) => reason.startsWith("Resize"));
  };
  return { cluster, pods, create, resize, conditions, reasons };
}

const memory = (limit: string): ResourceRequirements => ({ requests: { memory: "64Mi" }, limits: { memory: limit } });

it("status of a container has its volume mounts and resources, also after its end", async () => {
  const { cluster, pods, create } = await start();
  await using _ = cluster;
  const volumeMounts = [
    { name: "data", mountPath: "/data" },
    { name: "data", mountPath: "/view", readOnly: true },
    { name: "data", mountPath: "/deep", readOnly: true, recursiveReadOnly: "Enabled" as const },
  ];
  await create(
    "web",
    { volumeMounts, resources: memory("1Gi") },
    { restartPolicy: "Never", volumes: [{ name: "data", emptyDir: {} }] },
  );
  const mounts = [
    { name: "data", mountPath: "/data" },
    { name: "data", mountPath: "/view", readOnly: true, recursiveReadOnly: "Disabled" },
    { name: "data", mountPath: "/deep", readOnly: true, recursiveReadOnly: "Enabled" },
  ];
  const expected = { resources: memory("1Gi"), allocatedResources: { memory: "64Mi" } };
  const status = async () => (await pods.get("web")).status!;
  expect((await status()).containerStatuses![0]).toMatchObject({ ...expected, state: { running: {} } });
  expect((await status()).containerStatuses![0]!.volumeMounts!.slice(0, 3)).toEqual(mounts);
  await cluster.pods("").crash();
  expect((await status()).containerStatuses![0]).toMatchObject({ ...expected, state: { terminated: {} } });
  expect((await status()).containerStatuses![0]!.volumeMounts!.slice(0, 3)).toEqual(mounts);
});

it("status of a pod has its resources as a whole: requests, and limits that all containers have", async () => {
  const { cluster, pods, create } = await start();
  await using _ = cluster;
  const sidecar = {
    name: "side",
    image: "log:1",
    restartPolicy: "Always",
    resources: { requests: { cpu: "250m" }, limits: { cpu: "1" } },
  };
  await create(
    "web",
    { resources: { requests: { cpu: "1" }, limits: { cpu: "2", memory: "1Gi" } } },
    { initContainers: [sidecar] },
  );
  await create("plain", {});
  expect((await pods.get("web")).status).toMatchObject({
    allocatedResources: { cpu: "1250m", memory: "1Gi" },
    resources: { requests: { cpu: "1250m", memory: "1Gi" }, limits: { cpu: "3" } },
  });
  const { status } = await pods.get("plain");
  expect(status).toMatchObject({ resources: {}, containerStatuses: [{ resources: {} }] });
  expect(status).not.toHaveProperty("allocatedResources");
});

it("kubelet resizes a pod as a whole, and restarts a container that is limited by it if its policy says so", async () => {
  const { cluster, pods, create, resize, conditions, reasons } = await start();
  await using _ = cluster;
  const resizePolicy = [{ resourceName: "memory", restartPolicy: "RestartContainer" }];
  await create("web", { resizePolicy }, { resources: memory("1Gi") });
  await resize("web", { resources: { limits: { memory: "2Gi" } } });
  expect(await conditions("web")).toEqual([["PodResizeInProgress"]]);
  expect((await pods.get("web")).status?.resources).toEqual(memory("1Gi"));
  await cluster.advance("1s");
  expect(await conditions("web")).toEqual([]);
  expect((await pods.get("web")).status).toMatchObject({
    resources: memory("2Gi"),
    containerStatuses: [{ restartCount: 1 }],
  });
  expect(await reasons()).toEqual(["ResizeStarted", "ResizeCompleted"]);
});

it("kubelet doesn't lower a memory limit below the usage until the container uses less", async () => {
  const { cluster, pods, create, resize, conditions, reasons } = await start();
  await using _ = cluster;
  await create("web", { resources: memory("1Gi") });
  await cluster.pods("").setUsage({ memory: "512Mi" });
  await resize("web", { containers: [{ name: "main", resources: { limits: { memory: "256Mi" } } }] });
  await cluster.advance("1m");
  const error = 'attempting to set container "main" memory limit (268435456) below current usage (536870912)';
  expect(await conditions("web")).toEqual([["PodResizeInProgress", "Error", error]]);
  const container = async () => (await pods.get("web")).status!.containerStatuses![0]!.resources;
  expect(await container()).toEqual(memory("1Gi"));
  await cluster.pods("").setUsage({ memory: "128Mi" });
  await cluster.advance("10s");
  expect(await conditions("web")).toEqual([]);
  expect(await container()).toEqual(memory("256Mi"));
  expect(await reasons()).toEqual(["ResizeStarted", "ResizeError", "ResizeCompleted"]);
});

it("kubelet gives room first to the pod with the highest priority, then to the one that waits longest", async () => {
  const { cluster, pods, create, resize, conditions } = await start();
  await using _ = cluster;
  const cpu = (amount: string): object => ({ resources: { requests: { cpu: amount } } });
  for (const name of ["first", "second", "third"]) await create(name, cpu("500m"));
  await create("urgent", cpu("500m"), { priorityClassName: "system-cluster-critical" });
  await create("large", cpu("2"));
  for (const name of ["second", "first", "urgent", "third"]) {
    await resize(name, { containers: [{ name: "main", ...cpu("1500m") }] });
    await cluster.advance("1s");
  }
  await pods.delete("large");
  await cluster.advance("2s");
  const waiting = async (name: string): Promise<boolean> => (await conditions(name)).length > 0;
  expect(await Promise.all(["urgent", "second", "first", "third"].map(waiting))).toEqual([false, false, true, true]);
});
