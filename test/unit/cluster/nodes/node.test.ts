import { isIPv4 } from "node:net";
import { describe, expect, it } from "vitest";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import { nodeAddresses } from "../../../../src/cluster/nodes/simulated-node.js";
import { Lease } from "../../../../src/kinds/coordination/v1.js";
import { Node, Pod } from "../../../../src/kinds/core/v1.js";

async function start() {
  const cluster = await createCluster({ nodes: 2, time: "virtual", seed: 1, controllers: [] });
  const pods = cluster.client.resource(Pod).namespace("default");
  const containers = [{ name: "main", image: "web:1" }];
  await pods.create({ metadata: { name: "web" }, spec: { nodeName: "node-1", containers } });
  await cluster.settled();
  const leases = cluster.client.resource(Lease).namespace("kube-node-lease");
  const renewedAt = async (name: string): Promise<number> =>
    Date.parse((await leases.get(name)).spec!.renewTime!) - cluster.now();
  return { cluster, pods, renewedAt };
}

describe("simulated node", () => {
  it("removes a pod that has ended, although its first requests meet conflicts", async () => {
    const { cluster, pods } = await start();
    await using _ = cluster;
    const lifecycle = { preStop: { sleep: { seconds: 5 } } };
    const containers = [{ name: "main", image: "web:1", lifecycle }];
    await pods.create({ metadata: { name: "slow" }, spec: { nodeName: "node-1", containers } });
    await cluster.settled();
    await pods.delete("slow");
    const conflict = { type: "status", code: 409, reason: "Conflict" } as const;
    cluster.server.faults.add({ match: { verb: "delete", resource: "pods" }, effect: conflict, times: 5 });
    await cluster.advance("1m");
    expect((await pods.list()).items.map(({ metadata }) => metadata?.name)).toEqual(["web"]);
  });

  it("registers itself with addresses, resources and conditions", async () => {
    const { cluster } = await start();
    await using _ = cluster;
    const node = await cluster.client.resource(Node).get("node-2");
    expect(node.spec).toMatchObject({ podCIDR: "10.244.1.0/24", podCIDRs: ["10.244.1.0/24"] });
    expect(node.metadata?.labels).toMatchObject({ "kubernetes.io/hostname": "node-2", "kubernetes.io/os": "linux" });
    expect(node.status).toMatchObject({
      addresses: [
        { type: "InternalIP", address: "172.18.0.3" },
        { type: "Hostname", address: "node-2" },
      ],
      allocatable: { cpu: "8", memory: "32Gi", pods: "110" },
    });
    expect(node.status?.conditions?.map(({ type, status }) => `${type} ${status}`)).toEqual([
      "MemoryPressure False",
      "DiskPressure False",
      "PIDPressure False",
      "Ready True",
    ]);
  });

  it("registers itself without reading whether it exists", async () => {
    const { cluster } = await start();
    await using _ = cluster;
    const nodes = cluster.client.resource(Node);
    const leases = cluster.client.resource(Lease).namespace("kube-node-lease");
    await cluster.nodes("node-2").crash();
    await nodes.delete("node-2");
    await leases.delete("node-2").catch(() => undefined);
    const refused = { type: "status", code: 500, reason: "InternalError" } as const;
    for (const resource of ["nodes", "leases"])
      cluster.server.faults.add({ match: { verb: "get", resource }, effect: refused });
    await cluster.nodes("node-2").recover();
    cluster.server.faults.clear();
    await expect(nodes.get("node-2")).resolves.toMatchObject({ status: { conditions: expect.any(Array) } });
    await expect(leases.get("node-2")).resolves.toMatchObject({ spec: { holderIdentity: "node-2" } });
  });

  it("renews its lease and reports its status until it's partitioned", async () => {
    const { cluster, renewedAt } = await start();
    await using _ = cluster;
    await cluster.advance("10m");
    expect(await renewedAt("node-1")).toBeGreaterThan(-15_000);
    await cluster.nodes("node-1").partition();
    await cluster.advance("10m");
    expect(await renewedAt("node-1")).toBeLessThan(-590_000);
    expect(await renewedAt("node-2")).toBeGreaterThan(-15_000);
    await cluster.nodes("node-1").recover();
    expect(await renewedAt("node-1")).toBe(0);
    const { status } = await cluster.client.resource(Node).get("node-1");
    expect(Date.parse(status!.conditions![0]!.lastHeartbeatTime!)).toBe(cluster.now());
  });

  it("renews its lease once in a period, also after a partition that began during a renewal", async () => {
    const { cluster } = await start();
    await using _ = cluster;
    const match = { verb: "update", resource: "leases", name: "node-1" };
    cluster.server.faults.add({ match, effect: { type: "delay", ms: 5_000 }, times: 1 });
    await cluster.advance("12s");
    await cluster.nodes("node-1").partition();
    await cluster.nodes("node-1").recover();
    await cluster.advance("10s");
    cluster.server.faults.add({ match, effect: { type: "delay", ms: 0 } });
    const before = cluster.server.faults.hits["delay"]!;
    // In one step, heartbeats that nothing depends on are skipped.
    for (let period = 0; period < 6; period++) await cluster.advance("10s");
    expect(cluster.server.faults.hits["delay"]! - before).toBe(6);
  });

  it("runs its pods in a partition, and stops deleted ones afterwards", async () => {
    const { cluster, pods } = await start();
    await using _ = cluster;
    await cluster.nodes("node-1").partition();
    await cluster.pods({ name: "web" }).crash();
    await cluster.advance("1m");
    expect((await pods.get("web")).status?.containerStatuses?.[0]?.restartCount).toBe(0);
    await pods.delete("web");
    await cluster.advance("10m");
    expect((await pods.get("web")).metadata?.deletionTimestamp).toBeDefined();
    await cluster.nodes("node-1").recover();
    expect((await pods.list()).items).toEqual([]);
  });

  it("starts its containers again after a crash", async () => {
    const { cluster, pods } = await start();
    await using _ = cluster;
    await cluster.nodes("node-1").crash();
    await cluster.advance("1m");
    expect((await pods.get("web")).status?.containerStatuses?.[0]?.ready).toBe(true);
    await cluster.nodes("node-1").recover();
    await cluster.advance("2s");
    expect((await pods.get("web")).status?.containerStatuses?.[0]).toMatchObject({
      ready: true,
      restartCount: 1,
      lastState: { terminated: { exitCode: 255, reason: "Unknown" } },
    });
  });

  it.each([
    { policy: "Always", expected: { init: "1 terminated", sidecar: "1 running", main: "1 running" } },
    { policy: "Never", expected: { init: "0 terminated", sidecar: "0 terminated", main: "0 terminated" } },
  ] as const)(
    "begins a pod again with its init containers after a crash, unless its policy is Never: $policy",
    async ({ policy, expected }) => {
      const { cluster, pods } = await start();
      await using _ = cluster;
      const container = { image: "web:1" };
      await pods.create({
        metadata: { name: "again" },
        spec: {
          nodeName: "node-1",
          restartPolicy: policy,
          initContainers: [
            { ...container, name: "init", command: ["true"] },
            { ...container, name: "sidecar", restartPolicy: "Always" },
          ],
          containers: [{ ...container, name: "main" }],
        },
      });
      await cluster.settled();
      await cluster.nodes("node-1").crash();
      await cluster.nodes("node-1").recover();
      await cluster.advance("2s");
      const { status } = await pods.get("again");
      const statuses = [...status!.initContainerStatuses!, ...status!.containerStatuses!];
      expect(
        Object.fromEntries(
          statuses.map(({ name, restartCount, state }) => [
            name,
            `${String(restartCount)} ${Object.keys(state ?? {})[0]!}`,
          ]),
        ),
      ).toEqual(expected);
    },
  );

  it("keeps the restarts of a container that waits for its back-off when the node crashes", async () => {
    const { cluster, pods } = await start();
    await using _ = cluster;
    const restartCount = async (): Promise<number | undefined> =>
      (await pods.get("web")).status?.containerStatuses?.[0]?.restartCount;
    for (let crash = 0; crash < 2; crash++) {
      await cluster.pods({ name: "web" }).crash();
      await cluster.advance("2s");
    }
    expect(await restartCount()).toBe(1);
    await cluster.nodes("node-1").crash();
    await cluster.nodes("node-1").recover();
    expect(await restartCount()).toBe(1);
    await cluster.advance("2s");
    expect(await restartCount()).toBe(2);
  });

  it("rejects a handle of a node or pod that isn't simulated", async () => {
    const { cluster } = await start();
    await using _ = cluster;
    expect(() => cluster.nodes("other")).toThrow(/node "other" is not one of the simulated nodes: node-1, node-2/);
    await expect(cluster.pods("app=none").crash()).rejects.toThrow(/no running pod matches "app=none"/);
    expect(() => cluster.pods("a b c")).toThrow(TypeError);
  });
});

it("simulated nodes have addresses of their own, up to 60,000 nodes", () => {
  const nodes = Array.from({ length: 60_000 }, (_, index) => nodeAddresses(index));
  expect(nodes[0]).toEqual({ hostIp: "172.18.0.2", podRange: "10.244.0.0/24", podPrefix: "10.244.0" });
  expect(nodes.filter(({ hostIp, podPrefix }) => !isIPv4(hostIp) || !isIPv4(`${podPrefix}.0`))).toEqual([]);
  expect(new Set(nodes.map(({ hostIp }) => hostIp)).size).toBe(nodes.length);
  expect(new Set(nodes.map(({ podRange }) => podRange)).size).toBe(nodes.length);
});
