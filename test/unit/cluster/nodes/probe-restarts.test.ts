import { expect, it } from "vitest";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import type { ImageScripts } from "../../../../src/cluster/nodes/containers/images.js";
import { type Container, Event, Pod, type PodSpec } from "../../../../src/kinds/core/v1.js";

const probe = { httpGet: { path: "/", port: 80 }, periodSeconds: 5, failureThreshold: 1, initialDelaySeconds: 5 };
const images: ImageScripts = { "hung:*": { probe: () => false } };
const hung: Container = { name: "hung", image: "hung:1", livenessProbe: probe };
const web: Container = { name: "web", image: "web:1" };

async function start(spec: PodSpec) {
  const cluster = await createCluster({ time: "virtual", seed: 1, images, controllers: [] });
  const pods = cluster.client.resource(Pod).namespace("default");
  await pods.create({ metadata: { name: "web", labels: { app: "web" } }, spec });
  await cluster.settled();
  /** Describes a container: its restarts, and its state with its reason. */
  const describeContainer = async (name: string): Promise<string> => {
    const { status } = await pods.get("web");
    const { restartCount, state } = [
      ...(status?.initContainerStatuses ?? []),
      ...(status?.containerStatuses ?? []),
    ].find((each) => each.name === name)!;
    return `${String(restartCount)} ${Object.keys(state ?? {})[0] ?? ""} ${state?.waiting?.reason ?? ""}`.trim();
  };
  return { cluster, pods, describeContainer };
}

it.each<{ title: string; spec: PodSpec; note: string; state: string }>([
  {
    title: "a container of a pod with the policy OnFailure, although it ends with 0",
    spec: { restartPolicy: "OnFailure", containers: [hung] },
    note: "Container hung failed liveness probe, will be restarted",
    state: "1 running",
  },
  {
    title: "a container with the policy OnFailure in a pod with the policy Never",
    spec: { restartPolicy: "Never", containers: [{ ...hung, restartPolicy: "OnFailure" }] },
    note: "Container hung failed liveness probe, will be restarted",
    state: "1 running",
  },
  {
    title: "nothing in a pod with the policy Never",
    spec: { restartPolicy: "Never", containers: [hung, web] },
    note: "Container hung failed liveness probe",
    state: "0 terminated",
  },
  {
    title: "no container with the policy Never",
    spec: { containers: [{ ...hung, restartPolicy: "Never" }, web] },
    note: "Container hung failed liveness probe",
    state: "0 terminated",
  },
  {
    title: "a sidecar in a pod with the policy Never",
    spec: { restartPolicy: "Never", initContainers: [{ ...hung, restartPolicy: "Always" }], containers: [web] },
    note: "Init container hung failed liveness probe",
    state: "1 running",
  },
  {
    title: "a sidecar whose startup probe fails",
    spec: {
      initContainers: [{ name: "hung", image: "hung:1", startupProbe: probe, restartPolicy: "Always" }],
      containers: [web],
    },
    note: "Init container hung failed startup probe",
    state: "1 running",
  },
])("kubelet restarts $title after a failed probe", async ({ spec, note, state }) => {
  const { cluster, describeContainer } = await start(spec);
  await using _ = cluster;
  await cluster.advance("6s");
  expect(await describeContainer("hung")).toBe(state);
  const { items } = await cluster.client.resource(Event).list();
  expect(items.filter(({ reason }) => reason === "Killing").map(({ message }) => message)).toEqual([note]);
});

it("kubelet counts the back-off after a failed probe from the end before it", async () => {
  const { cluster, describeContainer } = await start({ containers: [hung] });
  await using _ = cluster;
  await cluster.advance("5s");
  expect(await describeContainer("hung")).toBe("1 running");
  await cluster.advance("5s");
  expect(await describeContainer("hung")).toBe("2 running");
  await cluster.advance("7s");
  expect(await describeContainer("hung")).toBe("2 waiting CrashLoopBackOff");
  await cluster.advance("8s");
  expect(await describeContainer("hung")).toBe("3 running");
});

it("kubelet doesn't start main containers while a sidecar waits to start again", async () => {
  const sidecar: Container = { name: "hung", image: "hung:1", startupProbe: probe, restartPolicy: "Always" };
  const { cluster, pods, describeContainer } = await start({ initContainers: [sidecar], containers: [web] });
  await using _ = cluster;
  await cluster.advance("17s");
  expect(await describeContainer("hung")).toBe("2 waiting CrashLoopBackOff");
  expect(await describeContainer("web")).toBe("0 waiting PodInitializing");
  expect((await pods.get("web")).status?.phase).toBe("Pending");
});

it("kubelet lets an init container whose image has changed run to its end, and restarts others", async () => {
  const { cluster, pods, describeContainer } = await start({
    initContainers: [
      { ...web, name: "sidecar", restartPolicy: "Always" },
      { name: "init", image: "web:1", command: ["sleep", "60"] },
    ],
    containers: [web],
  });
  await using _ = cluster;
  const change = async (list: string, name: string): Promise<void> => {
    const patch = { spec: { [list]: [{ name, image: "web:2" }] } };
    await pods.patch("web", { type: "strategic", patch });
    await cluster.advance("3s");
  };
  await change("initContainers", "sidecar");
  await change("initContainers", "init");
  expect(await describeContainer("sidecar")).toBe("1 running");
  expect(await describeContainer("init")).toBe("0 running");
  await cluster.advance("1m");
  await change("containers", "web");
  expect(await describeContainer("web")).toBe("1 running");
  const { items } = await cluster.client.resource(Event).list();
  expect(items.filter(({ reason }) => reason === "Killing").map(({ message }) => message)).toEqual([
    "Init container sidecar definition changed",
    "Container web definition changed, will be restarted",
  ]);
});

it("kubelet stops main containers whose own policy is Always at once, unlike sidecars", async () => {
  const containers: Container[] = ["a", "b"].map((name) => ({
    name,
    image: "web:1",
    restartPolicy: "Always",
    command: ["sleep", "infinity"],
    lifecycle: { preStop: { sleep: { seconds: name === "a" ? 1 : 5 } } },
  }));
  const { cluster, pods, describeContainer } = await start({ containers });
  await using _ = cluster;
  await pods.delete("web");
  await cluster.advance("2s");
  expect(await describeContainer("a")).toBe("0 terminated");
  expect(await describeContainer("b")).toBe("0 running");
});
