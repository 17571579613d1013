import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { Pod } from "../../../../../src/kinds/core/v1.js";
import {
  DeviceClass,
  type DeviceTaint,
  type DeviceToleration,
  ResourceClaim,
  ResourceSlice,
} from "../../../../../src/kinds/resource/v1.js";

const broken: DeviceTaint = { key: "example.com/broken", effect: "NoExecute" };

/** Starts a cluster with a pod that has a device, and taints the device. */
async function start(tolerations: DeviceToleration[], ...taints: DeviceTaint[]): Promise<Cluster> {
  const cluster = await createCluster({ time: "virtual", seed: 1 });
  const { client } = cluster;
  await client.resource(DeviceClass).create({ metadata: { name: "gpu" }, spec: {} });
  const pool = { name: "node-1", generation: 1, resourceSliceCount: 1 };
  await client.resource(ResourceSlice).create({
    metadata: { name: "node-1" },
    spec: { driver: "gpu.example.com", nodeName: "node-1", devices: [{ name: "gpu-0" }], pool },
  });
  const requests = [{ name: "one", exactly: { deviceClassName: "gpu", tolerations } }];
  await client
    .resource(ResourceClaim)
    .namespace("default")
    .create({ metadata: { name: "gpu" }, spec: { devices: { requests } } });
  const resourceClaims = [{ name: "gpu", resourceClaimName: "gpu" }];
  const spec = { containers: [{ name: "main", image: "web:1" }], resourceClaims, terminationGracePeriodSeconds: 0 };
  await client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name: "web" }, spec });
  await cluster.until(Pod, "default/web", (pod) => pod?.status?.phase === "Running");
  await taint(cluster, ...taints);
  return cluster;
}

async function taint(cluster: Cluster, ...taints: DeviceTaint[]): Promise<void> {
  await cluster.client.resource(ResourceSlice).update("node-1", ({ spec }) => {
    spec.devices![0]!.taints = taints;
  });
  await cluster.settled();
}

async function isRunning({ client }: Cluster): Promise<boolean> {
  return (await client.resource(Pod).namespace("default").getOptional("web")) !== undefined;
}

async function evictions(cluster: Cluster): Promise<string[]> {
  const events = await cluster.events("default/web");
  return events.filter(({ reason }) => reason === "DeviceTaintManagerEviction").map(({ message = "" }) => message);
}

describe("a pod with a tainted device", () => {
  const tolerate = (seconds?: number, more: Partial<DeviceToleration> = {}): DeviceToleration => ({
    key: broken.key,
    operator: "Exists",
    effect: "NoExecute",
    ...(seconds !== undefined && { tolerationSeconds: seconds }),
    ...more,
  });

  it.each([
    ["goes at once if its claim doesn't tolerate the taint", [], [broken]],
    ["goes at once if its claim tolerates it for no time", [tolerate(0)], [broken]],
    ["goes at once if its claim tolerates another taint", [tolerate(undefined, { key: "other" })], [broken]],
  ])("%s", async (_, tolerations, taints) => {
    await using cluster = await start(tolerations, ...taints);
    expect(await isRunning(cluster)).toBe(false);
    expect(await evictions(cluster)).toEqual(["Marking for deletion"]);
  });

  it.each<[string, DeviceToleration[], DeviceTaint[]]>([
    ["stays if its claim tolerates the taint", [tolerate()], [broken]],
    ["stays if one of several tolerations is for ever", [tolerate(5), tolerate()], [broken]],
    ["stays if the taint only keeps new claims away", [], [{ ...broken, effect: "NoSchedule" }]],
  ])("%s", async (_, tolerations, taints) => {
    await using cluster = await start(tolerations, ...taints);
    await cluster.advance("10m");
    expect(await isRunning(cluster)).toBe(true);
    expect(await evictions(cluster)).toEqual([]);
  });

  it("goes after the shortest time that its claim tolerates", async () => {
    await using cluster = await start([tolerate(60), tolerate(20)], broken);
    await cluster.advance("18s");
    expect(await isRunning(cluster)).toBe(true);
    await cluster.advance("2s");
    expect(await isRunning(cluster)).toBe(false);
  });

  it("stays if the taint goes in time", async () => {
    await using cluster = await start([tolerate(20)], broken);
    await cluster.advance("10s");
    await taint(cluster);
    await cluster.advance("1m");
    expect(await isRunning(cluster)).toBe(true);
    expect(await evictions(cluster)).toEqual(["Cancelling deletion"]);
  });
});
