import { expect, it } from "vitest";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import type { ImageScripts } from "../../../../src/cluster/nodes/containers/images.js";
import { type Container, Event, Pod, type PodSpec } from "../../../../src/kinds/core/v1.js";

const httpGet = { path: "/", port: 80 };

async function start(
  containers: readonly Partial<Container>[],
  images: ImageScripts = {},
  more: Partial<PodSpec> = {},
) {
  const cluster = await createCluster({ time: "virtual", seed: 1, images, controllers: [] });
  const pods = cluster.client.resource(Pod).namespace("default");
  const all = containers.map((container, index) => ({ name: `c${String(index)}`, image: "web:1", ...container }));
  await pods.create({ metadata: { name: "web" }, spec: { containers: all, ...more } });
  await cluster.settled();
  /** Describes the containers: the key of the state, and its reason. */
  const states = async (): Promise<string[]> => {
    const { status } = await pods.get("web");
    return status!.containerStatuses!.map(({ state }) => {
      const [key = "", details] = Object.entries(state ?? {})[0] ?? [];
      return [key, (details as { reason?: string }).reason].filter((each) => each !== undefined).join(" ");
    });
  };
  const notes = async (): Promise<string[]> => {
    const { items } = await cluster.client.resource(Event).list();
    return items.map(({ reason, message }) => `${reason}: ${message}`);
  };
  return { cluster, pods, states, notes };
}

const creating = "waiting ContainerCreating";

it("kubelet reports a container as running, and starts the next one, after the hook postStart", async () => {
  const postStart = { sleep: { seconds: 5 } };
  const { cluster, pods, states } = await start([{}, { lifecycle: { postStart } }, {}]);
  await using _ = cluster;
  expect((await states()).slice(1)).toEqual([creating, creating]);
  const { status } = await pods.get("web");
  expect(status?.phase).toBe("Pending");
  expect(status?.containerStatuses?.[1]).not.toHaveProperty("containerID");
  await cluster.advance("4s");
  expect((await states()).slice(1)).toEqual([creating, creating]);
  await cluster.advance("1s");
  expect(await states()).toEqual(["running", "running", "running"]);
  expect((await pods.get("web")).status?.phase).toBe("Running");
});

it("kubelet restarts a container after it has stopped another one, whose hook preStop runs", async () => {
  const livenessProbe = { httpGet, periodSeconds: 1, failureThreshold: 1, initialDelaySeconds: 5 };
  const hung = { image: "hung:1", livenessProbe, lifecycle: { preStop: { sleep: { seconds: 20 } } } };
  const images: ImageScripts = { "hung:*": { probe: () => false } };
  const { cluster, pods, states } = await start([hung, {}], images);
  await using _ = cluster;
  await cluster.advance("6s");
  await cluster.pods({ name: "web" }).crash({ container: "c1" });
  await cluster.advance("15s");
  expect(await states()).toEqual(["running", "terminated Error"]);
  await cluster.advance("10s");
  expect(await states()).toEqual(["running", "running"]);
  const { status } = await pods.get("web");
  expect(status?.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([1, 1]);
});

it("kubelet pulls the images of a pod one after the other, and goes on after a failed pull", async () => {
  const images: ImageScripts = {
    "slow:*": { pull: "3s" },
    "missing:*": {
      pull: () => {
        throw new Error("not found");
      },
    },
  };
  const { cluster, states } = await start(
    [{ image: "slow:1" }, { image: "missing:1" }, { image: "slow:2" }, {}],
    images,
  );
  await using _ = cluster;
  await cluster.advance("3s");
  expect(await states()).toEqual(["running", "waiting ErrImagePull", creating, creating]);
  await cluster.advance("3s");
  expect(await states()).toEqual(["running", "waiting ImagePullBackOff", "running", "running"]);
});

it("kubelet doesn't kill the containers of a deleted pod because of a startup probe", async () => {
  const startupProbe = { httpGet, periodSeconds: 1, failureThreshold: 3, terminationGracePeriodSeconds: 1 };
  const images: ImageScripts = { "web:*": { probe: () => false, run: () => new Promise(() => undefined) } };
  const { cluster, pods, states, notes } = await start([{ startupProbe }], images);
  await using _ = cluster;
  await cluster.advance("1s");
  await pods.delete("web");
  await cluster.advance("20s");
  expect(await states()).toEqual(["running"]);
  expect(await notes()).toContain("Killing: Stopping container c0");
});

it("kubelet counts the initial delay of a probe from the start of the container", async () => {
  const startupProbe = { httpGet, periodSeconds: 4 };
  const readinessProbe = { httpGet, initialDelaySeconds: 10 };
  const images: ImageScripts = {
    "web:*": { probe: ({ type, runningMs }) => type !== "startup" || runningMs >= 8_000 },
  };
  const { cluster, pods } = await start([{ startupProbe, readinessProbe }], images);
  await using _ = cluster;
  const ready = async (): Promise<boolean | undefined> => (await pods.get("web")).status?.containerStatuses?.[0]?.ready;
  await cluster.advance("9s");
  expect(await ready()).toBe(false);
  await cluster.advance("1s");
  expect(await ready()).toBe(true);
});

it("kubelet ends the hook preStop with the grace period, and then gives the process two seconds", async () => {
  let signalled = false;
  const images: ImageScripts = {
    "web:*": {
      async run({ signal }) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        signalled = true;
        await new Promise(() => undefined);
      },
    },
  };
  const lifecycle = { preStop: { sleep: { seconds: 5 } } };
  const { cluster, pods } = await start([{ lifecycle }], images, { terminationGracePeriodSeconds: 5 });
  await using _ = cluster;
  await pods.delete("web");
  await cluster.advance("4s");
  expect(signalled).toBe(false);
  await cluster.advance("2s");
  expect(signalled).toBe(true);
  expect((await pods.list()).items).toHaveLength(1);
  await cluster.advance("1s");
  expect((await pods.list()).items).toHaveLength(0);
});

it("kubelet reports image pull secrets that don't exist, and starts the pod", async () => {
  const secrets = [{ name: "registry" }, { name: "mirror" }];
  const { cluster, states, notes } = await start([{}], {}, { imagePullSecrets: secrets });
  await using _ = cluster;
  expect(await states()).toEqual(["running"]);
  expect(await notes()).toContain(
    "FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (registry, mirror); attempting to pull the image may not succeed.",
  );
});

it("kubelet runs the hooks preStop of sidecars at once, and signals a sidecar when later containers have ended", async () => {
  const order: string[] = [];
  const images: ImageScripts = {
    "*": {
      async run({ container, signal, sleep }) {
        await sleep("1h").catch(() => undefined);
        if (signal.aborted) order.push(`${container.name} signalled`);
      },
    },
  };
  const sidecar = (name: string, seconds: number): Container => ({
    name,
    image: "side:1",
    restartPolicy: "Always",
    lifecycle: { preStop: { sleep: { seconds } } },
  });
  const initContainers = [sidecar("first", 6), sidecar("last", 3)];
  const lifecycle = { preStop: { sleep: { seconds: 4 } } };
  const { cluster, pods, states, notes } = await start([{ lifecycle }], images, { initContainers });
  await using _ = cluster;
  await cluster.advance("5s");
  expect(await states()).toEqual(["running"]);
  await pods.delete("web");
  await cluster.settled();
  expect((await notes()).filter((note) => note.startsWith("Killing"))).toHaveLength(3);
  await cluster.advance("3s");
  expect(order).toEqual([]);
  await cluster.advance("1s");
  expect(order).toEqual(["c0 signalled", "last signalled"]);
  await cluster.advance("2s");
  expect(order).toEqual(["c0 signalled", "last signalled", "first signalled"]);
  expect((await pods.list()).items).toEqual([]);
});
