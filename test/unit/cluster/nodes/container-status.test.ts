import { expect, it } from "vitest";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import type { ImageScripts } from "../../../../src/cluster/nodes/containers/images.js";
import { type Container, Pod, type PodSpec } from "../../../../src/kinds/core/v1.js";

const web: Container = { name: "web", image: "web:1" };

async function start(spec: PodSpec, images: ImageScripts = {}) {
  const cluster = await createCluster({ time: "virtual", seed: 1, images, controllers: [] });
  const pods = cluster.client.resource(Pod).namespace("default");
  await pods.create({ metadata: { name: "web", labels: { app: "web" } }, spec });
  await cluster.settled();
  /** Returns the status of a condition and its message. */
  const condition = async (type: string): Promise<string | undefined> => {
    const { status } = await pods.get("web");
    const found = status?.conditions?.find((each) => each.type === type);
    return found && `${found.status} ${found.message ?? ""}`.trim();
  };
  return { cluster, pods, condition };
}

it("kubelet reports a running init container as started, but as ready only once it has succeeded", async () => {
  const { cluster, pods, condition } = await start({
    initContainers: [{ name: "init", image: "web:1", command: ["sleep", "10"] }],
    containers: [web],
  });
  await using _ = cluster;
  const init = async () => (await pods.get("web")).status?.initContainerStatuses?.[0];
  expect(await init()).toMatchObject({ ready: false, started: true });
  expect(await condition("Initialized")).toBe("False containers with incomplete status: [init]");
  await cluster.advance("10s");
  expect(await init()).toMatchObject({ ready: true, started: false });
  expect(await condition("Initialized")).toBe("True");
});

it("kubelet doesn't report a sidecar as ready that has ended with 0", async () => {
  const { cluster, pods } = await start({
    restartPolicy: "Never",
    initContainers: [{ ...web, name: "sidecar", restartPolicy: "Always" }],
    containers: [web],
  });
  await using _ = cluster;
  await cluster.pods("app=web").crash({ exitCode: 0, container: "web" });
  await cluster.advance("1s");
  const { status } = await pods.get("web");
  expect(status?.phase).toBe("Succeeded");
  expect(status?.initContainerStatuses?.[0]).toMatchObject({ ready: false, state: { terminated: { exitCode: 0 } } });
});

it("kubelet reports ephemeral containers neither as ready nor as started", async () => {
  const { cluster, pods } = await start({ containers: [web] });
  await using _ = cluster;
  const ephemeralContainers = [{ name: "debug", image: "web:1" }];
  const patch = { spec: { ephemeralContainers } };
  await pods.subresource("ephemeralcontainers").patch("web", { type: "strategic", patch });
  await cluster.settled();
  const { status } = await pods.get("web");
  expect(status?.ephemeralContainerStatuses?.[0]).toMatchObject({ ready: false, state: { running: {} } });
  expect(status?.ephemeralContainerStatuses?.[0]).not.toHaveProperty("started");
});

it("kubelet sorts the statuses of main containers by name, and those of init containers as in the spec", async () => {
  const named = (name: string): Container => ({ name, image: "web:1" });
  const { cluster, pods } = await start(
    { initContainers: [named("z"), named("y")], containers: [named("c"), named("a"), named("b")] },
    { "*": { run: () => 0 } },
  );
  await using _ = cluster;
  const { status } = await pods.get("web");
  expect(status?.initContainerStatuses?.map(({ name }) => name)).toEqual(["z", "y"]);
  expect(status?.containerStatuses?.map(({ name }) => name)).toEqual(["a", "b", "c"]);
});

it("kubelet reports the disruption of an evicted pod when its containers have ended", async () => {
  const images: ImageScripts = { "web:*": { run: () => new Promise(() => undefined) } };
  const { cluster, pods, condition } = await start({ containers: [web] }, images);
  await using _ = cluster;
  await cluster.pods("app=web").evict();
  expect(await condition("DisruptionTarget")).toBeUndefined();
  await cluster.advance("2s");
  expect((await pods.get("web")).status).toMatchObject({ phase: "Failed", reason: "Evicted" });
  expect(await condition("DisruptionTarget")).toBe("True The node was low on resource: memory.");
});
