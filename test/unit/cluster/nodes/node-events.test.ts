import { expect, it } from "vitest";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import { Event, Node } from "../../../../src/kinds/core/v1.js";

async function start() {
  const cluster = await createCluster({ nodes: 2, time: "virtual", seed: 1 });
  const nodes = cluster.client.resource(Node);
  const reasons = async (name: string): Promise<string[]> => {
    await cluster.settled();
    const { items } = await cluster.client.resource(Event).list();
    const own = items.filter(({ involvedObject }) => involvedObject.name === name);
    return own.map(({ source, reason }) => `${source?.component} ${reason}`);
  };
  return { cluster, nodes, reasons };
}

it("kubelet reports that its node was cordoned and uncordoned", async () => {
  const { cluster, nodes, reasons } = await start();
  await using _ = cluster;
  expect(await reasons("node-1")).toEqual(["node-controller RegisteredNode"]);
  await nodes.patch("node-1", { type: "merge", patch: { spec: { unschedulable: true } } });
  await nodes.patch("node-1", { type: "merge", patch: { metadata: { labels: { a: "b" } } } });
  await nodes.patch("node-1", { type: "merge", patch: { spec: { unschedulable: null } } });
  expect((await reasons("node-1")).sort()).toEqual([
    "kubelet NodeNotSchedulable",
    "kubelet NodeSchedulable",
    "node-controller RegisteredNode",
  ]);
});

it("kubelet doesn't report the cordon of a deleted node about a new one of that name", async () => {
  const { cluster, nodes, reasons } = await start();
  await using _ = cluster;
  await nodes.patch("node-1", { type: "merge", patch: { spec: { unschedulable: true } } });
  await nodes.delete("node-1");
  await cluster.settled();
  await nodes.create({ metadata: { name: "node-1" } });
  await nodes.patch("node-1", { type: "merge", patch: { metadata: { labels: { a: "b" } } } });
  // Both events have the same time.
  expect((await reasons("node-1")).sort()).toEqual([
    "kubelet NodeNotSchedulable",
    "node-controller RegisteredNode",
    "node-controller RegisteredNode",
    "node-controller RemovingNode",
  ]);
});

it("kubelet of a lost node reports its conditions and its cordon when it's back", async () => {
  const { cluster, nodes, reasons } = await start();
  await using _ = cluster;
  await cluster.nodes("node-1").partition();
  await nodes.patch("node-1", { type: "merge", patch: { spec: { unschedulable: true } } });
  await cluster.advance("2m");
  expect(await reasons("node-1")).toEqual(["node-controller RegisteredNode", "node-controller NodeNotReady"]);
  await cluster.nodes("node-1").recover();
  expect((await reasons("node-1")).slice(2)).toEqual([
    "kubelet NodeHasSufficientMemory",
    "kubelet NodeHasNoDiskPressure",
    "kubelet NodeHasSufficientPID",
    "kubelet NodeReady",
    "kubelet NodeNotSchedulable",
  ]);
});

it("node controller reports that a node was registered, and that it was removed", async () => {
  const { cluster, nodes, reasons } = await start();
  await using _ = cluster;
  await nodes.create({ metadata: { name: "own" } });
  await cluster.settled();
  await nodes.delete("own");
  await nodes.delete("node-2");
  const expected = ["node-controller RegisteredNode", "node-controller RemovingNode"];
  expect((await reasons("own")).sort()).toEqual(expected);
  expect((await reasons("node-2")).sort()).toEqual(expected);
});
