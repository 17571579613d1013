import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import type { Client } from "../../../../src/client/client.js";
import type { PodHost } from "../../../../src/cluster/nodes/pod-host.js";
import { PodPlayer } from "../../../../src/cluster/nodes/pod-player.js";
import { SimulatedNode } from "../../../../src/cluster/nodes/simulated-node.js";
import type { Pod } from "../../../../src/kinds/core/v1.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";

function createHost(options: Partial<PodHost> = {}): PodHost {
  const node = new SimulatedNode("node-1", 0);
  return {
    client: {} as Client,
    clock: createVirtualClock(),
    node: node.name,
    hostIp: node.hostIp,
    presentImages: node.presentImages,
    script: () => ({}),
    services: () => Promise.resolve([]),
    allocateIp: () => node.allocateIp(),
    releaseIp: (address) => node.releaseIp(address),
    event: () => undefined,
    shortage: () => undefined,
    mismatch: () => undefined,
    freed: () => undefined,
    changed: () => undefined,
    ...options,
  };
}

function createPod(): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "default", name: "web", uid: "1" },
    spec: { containers: [{ name: "main", image: "web:1" }] },
  };
}

it("pod on a simulated node without a free address starts once there is one", async () => {
  const node = new SimulatedNode("node-1", 0);
  const taken = Array.from({ length: 253 }, () => node.allocateIp());
  const clock = createVirtualClock();
  const events: string[] = [];
  const host = createHost({
    clock,
    allocateIp: () => node.allocateIp(),
    releaseIp: (address) => node.releaseIp(address),
    event: (_, { reason, note }) => void events.push(`${reason} ${note}`),
  });
  const pod = createPod();
  const player = new PodPlayer(host, pod);
  player.update(pod);
  player.update(pod);
  expect(player.status().podIP).toBeUndefined();
  expect(events).toEqual([
    "FailedCreatePodSandBox Failed to create pod sandbox: no IP addresses available on the node",
  ]);
  node.releaseIp(taken[5]!);
  await clock.advance(10_000);
  expect(player.status().podIP).toBe(taken[5]);
  expect(events.at(-1)).toBe("Started Container started");
  player.discard();
});

const endings = {
  "the container ends": (player: PodPlayer) => player.containers.get("main")!.end({ exitCode: 1 }),
  "the node fails": (player: PodPlayer) => player.discard(),
};

it.each([
  ["postStart", "the container ends"],
  ["preStop", "the container ends"],
  ["postStart", "the node fails"],
  ["preStop", "the node fails"],
] as const)("hook %s of a container sleeps only until %s", async (hook, ending) => {
  const clock = createVirtualClock();
  const pod = createPod();
  pod.spec!.restartPolicy = "Never";
  pod.spec!.containers[0]!.lifecycle = { [hook]: { sleep: { seconds: 3_600 } } };
  const events: string[] = [];
  const player = new PodPlayer(createHost({ clock, event: (_, { reason }) => void events.push(reason) }), pod);
  player.update(pod);
  await clock.advance(10_000);
  if (hook === "preStop") player.containers.get("main")!.stop("stopped", 600_000);
  expect(clock.pending).toBeGreaterThan(0);
  endings[ending](player);
  await clock.advance(0);
  expect(clock.pending).toBe(0);
  expect(events.filter((reason) => reason.startsWith("Failed"))).toEqual([]);
  player.discard();
});

it("pod on a simulated node keeps only its last version, also if that one leaves nothing to do", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const clock = createVirtualClock();
  const start = (): { player: PodPlayer; first: WeakRef<object> } => {
    const pod = createPod();
    const player = new PodPlayer(createHost({ clock }), pod);
    player.update(pod);
    return { player, first: new WeakRef(pod.metadata!) };
  };
  const { player, first } = start();
  await clock.advance(10_000);
  player.acknowledge(createPod());
  await expect.poll(() => (collect(), first.deref()), { timeout: 20_000, interval: 5 }).toBeUndefined();
  player.discard();
});
