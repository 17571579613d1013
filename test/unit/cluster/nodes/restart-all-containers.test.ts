import { expect, it } from "vitest";
import type { Cluster } from "../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import { type Container, Node, Pod, type PodSpec } from "../../../../src/kinds/core/v1.js";

const rules: Container["restartPolicyRules"] = [
  { action: "Restart", exitCodes: { operator: "In", values: [7] } },
  { action: "RestartAllContainers", exitCodes: { operator: "In", values: [42] } },
];
const init: Container = { name: "init", image: "init:1" };
const sidecar: Container = { name: "sidecar", image: "web:1", restartPolicy: "Always" };
const source: Container = { name: "source", image: "web:1", restartPolicy: "Never", restartPolicyRules: rules };
const other: Container = { name: "other", image: "web:1" };
const spec: PodSpec = { restartPolicy: "Never", initContainers: [init, sidecar], containers: [source, other] };

/** Starts a cluster whose pod `web` runs. */
async function start(pod: PodSpec): Promise<Cluster> {
  const images = { "init:*": { run: () => 0 } };
  const cluster = await createCluster({ time: "virtual", seed: 1, images, controllers: [] });
  await cluster.client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name: "web", labels: { app: "web" } }, spec: pod });
  await cluster.advance("5s");
  return cluster;
}

const get = (cluster: Cluster): Promise<Pod> => cluster.client.resource(Pod).namespace("default").get("web");

/** Returns the restarts, the state and the last reason of each container, such as `1 running RestartingAllContainers`. */
function summary({ status }: Pod): Record<string, string> {
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return Object.fromEntries(
    statuses.map(({ name, restartCount, state, lastState }) => [
      name,
      [restartCount, Object.keys(state ?? {})[0], lastState?.terminated?.reason]
        .filter((part) => part !== undefined)
        .join(" "),
    ]),
  );
}

const condition = ({ status }: Pod): string[] =>
  (status?.conditions ?? [])
    .filter(({ type }) => type === "AllContainersRestarting")
    .map(({ status: value, reason }) => [value, reason].filter((part) => part !== undefined).join(" "));

it("kubelet restarts all containers in place after an exit code for which a rule says so", async () => {
  await using cluster = await start(spec);
  expect(condition(await get(cluster))).toEqual(["False"]);
  await cluster.pods("app=web").crash({ exitCode: 42, container: "source" });
  await cluster.settled();
  const ended = await get(cluster);
  expect(condition(ended)).toEqual(["True RestartAllContainersStarted"]);
  expect(summary(ended)).toMatchObject({ source: "0 terminated", other: "0 running" });
  await cluster.advance("1s");
  const restarted = await get(cluster);
  expect(restarted.status?.phase).toBe("Running");
  expect(condition(restarted)).toEqual(["False"]);
  expect(summary(restarted)).toEqual({
    init: "1 terminated RestartingAllContainers",
    sidecar: "1 running RestartingAllContainers",
    source: "1 running RestartingAllContainers",
    other: "1 running RestartingAllContainers",
  });
  expect(restarted.status?.podIP).toBe(ended.status?.podIP);
});

it("kubelet restarts one container, not all, after an exit code of another rule", async () => {
  await using cluster = await start(spec);
  await cluster.pods("app=web").crash({ exitCode: 7, container: "source" });
  await cluster.advance("2s");
  expect(summary(await get(cluster))).toMatchObject({
    init: "0 terminated",
    source: "1 running Error",
    other: "0 running",
  });
});

it("deletion of a pod ends a restart of all its containers", async () => {
  await using cluster = await start(spec);
  await cluster.pods("app=web").crash({ exitCode: 42, container: "source" });
  await cluster.client.resource(Pod).namespace("default").delete("web");
  await cluster.advance("5s");
  expect(await cluster.client.resource(Pod).namespace("default").getOptional("web")).toBeUndefined();
});

it("scheduler refuses nodes without the feature for pods that may restart all containers", async () => {
  await using cluster = await createCluster({ time: "virtual", seed: 1, nodes: 0, controllers: [] });
  await cluster.client.resource(Node).create({
    metadata: { name: "old" },
    status: { allocatable: { cpu: "8", memory: "32Gi", pods: "110" } },
  });
  await cluster.client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name: "web" }, spec: { ...spec, tolerations: [{ operator: "Exists" }] } });
  await cluster.settled();
  const { status } = await get(cluster);
  expect(status?.conditions?.find(({ type }) => type === "PodScheduled")?.message).toContain(
    "1 node(s) didn't match Pod's required features",
  );
});
