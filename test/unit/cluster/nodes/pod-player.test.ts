import { expect, it } from "vitest";
import type { Client } from "../../../../src/client/client.js";
import type { PodHost } from "../../../../src/cluster/nodes/pod-host.js";
import { PodPlayer } from "../../../../src/cluster/nodes/pod-player.js";
import { SimulatedNode } from "../../../../src/cluster/nodes/simulated-node.js";
import type { Pod } from "../../../../src/kinds/core/v1.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";

it("pod on a simulated node without a free address starts once there is one", async () => {
  const node = new SimulatedNode("node-1", 0);
  const taken = Array.from({ length: 253 }, () => node.allocateIp());
  const clock = createVirtualClock();
  const events: string[] = [];
  const host: PodHost = {
    client: {} as Client,
    clock,
    node: node.name,
    hostIp: node.hostIp,
    presentImages: node.presentImages,
    script: () => ({}),
    allocateIp: () => node.allocateIp(),
    releaseIp: (address) => node.releaseIp(address),
    event: (_, { reason, note }) => void events.push(`${reason} ${note}`),
    shortage: () => undefined,
    mismatch: () => undefined,
    freed: () => undefined,
    changed: () => undefined,
  };
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "default", name: "web", uid: "1" },
    spec: { containers: [{ name: "main", image: "web:1" }] },
  };
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
