import { expect, it } from "vitest";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import { Node, Pod, type PodSpec } from "../../../../src/kinds/core/v1.js";
import { PodDisruptionBudget } from "../../../../src/kinds/policy/v1.js";
import { PriorityClass } from "../../../../src/kinds/scheduling/v1.js";

const priorities = { low: 10, middle: 100, high: 1_000 };

async function start(names: readonly string[] = ["only"]) {
  const nodes = names.map((name) => ({ name, capacity: { cpu: "2" } }));
  // The containers ignore that they are stopped.
  const images = { "stubborn:*": { run: () => new Promise<void>(() => undefined) } };
  const cluster = await createCluster({ nodes, images, time: "virtual", seed: 1 });
  for (const [name, value] of Object.entries(priorities))
    await cluster.client.resource(PriorityClass).create({ metadata: { name }, value });
  const pods = cluster.client.resource(Pod).namespace("default");
  const create = async (name: string, cpu: string, spec: Partial<PodSpec> = {}): Promise<void> => {
    const containers = [{ name: "main", image: "stubborn:1", resources: { requests: { cpu } } }];
    await pods.create({ metadata: { name, labels: { app: "web" } }, spec: { containers, ...spec } });
    await cluster.settled();
  };
  const nominated = async (name: string): Promise<string | undefined> =>
    (await pods.get(name)).status?.nominatedNodeName;
  const isDeleted = async (name: string): Promise<boolean> =>
    (await pods.get(name)).metadata?.deletionTimestamp !== undefined;
  return { cluster, pods, create, nominated, isDeleted };
}

it("scheduler counts the victims of a preemption against a budget from the most important one on", async () => {
  const { cluster, create, isDeleted } = await start();
  await using _ = cluster;
  await create("minor", "1", { priorityClassName: "low" });
  await create("major", "1", { priorityClassName: "middle" });
  const budgets = cluster.client.resource(PodDisruptionBudget).namespace("default");
  await budgets.create({
    metadata: { name: "web" },
    spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
  });
  await cluster.settled();
  await create("urgent", "1", { priorityClassName: "high" });
  expect([await isDeleted("minor"), await isDeleted("major")]).toEqual([false, true]);
});

it("scheduler withdraws a nomination when a pod of a higher priority is nominated for the node", async () => {
  const { cluster, pods, create, nominated } = await start();
  await using _ = cluster;
  await create("old", "2");
  await create("second", "2", { priorityClassName: "middle" });
  expect(await nominated("second")).toBe("only");
  await create("first", "2", { priorityClassName: "high" });
  expect([await nominated("first"), await nominated("second")]).toEqual(["only", undefined]);
  // It's tried again, and finds the node promised to the other one.
  await cluster.client.resource(Node).patch("only", { type: "merge", patch: { metadata: { labels: { a: "b" } } } });
  await cluster.advance("15s");
  expect(await nominated("second")).toBeUndefined();
  await cluster.advance("40s");
  expect((await pods.get("first")).spec?.nodeName).toBe("only");
});

it("scheduler preempts pods on the nominated node although another one ends there that it didn't preempt", async () => {
  const { cluster, pods, create, isDeleted } = await start();
  await using _ = cluster;
  await create("ending", "1");
  await create("victim", "1");
  await create("urgent", "2", { priorityClassName: "high", schedulingGates: [{ name: "example.com/wait" }] });
  const patch = { status: { nominatedNodeName: "only" } };
  await pods.subresource("status").patch("urgent", { type: "merge", patch });
  await pods.delete("ending");
  await pods.patch("urgent", { type: "merge", patch: { spec: { schedulingGates: null } } as never });
  await cluster.settled();
  expect(await isDeleted("victim")).toBe(true);
});

it("scheduler preempts no more pods while a victim on the nominated node ends", async () => {
  const { cluster, pods, create, nominated, isDeleted } = await start(["node-1", "node-2"]);
  await using _ = cluster;
  await create("victim", "2", { nodeName: "node-1" });
  await cluster.advance("1m");
  await create("small", "1", { nodeName: "node-2" });
  await create("other", "1", { nodeName: "node-2" });
  await create("urgent", "2", { priorityClassName: "high" });
  expect([await nominated("urgent"), await isDeleted("victim")]).toEqual(["node-1", true]);
  // Now the other node would lose only one pod, too, and a younger one.
  await pods.delete("small", { gracePeriodSeconds: 0 });
  await cluster.advance("5s");
  expect([await nominated("urgent"), await isDeleted("other")]).toEqual(["node-1", false]);
});
