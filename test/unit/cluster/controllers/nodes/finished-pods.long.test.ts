import { expect, it } from "vitest";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { Pod } from "../../../../../src/kinds/core/v1.js";

it("the garbage collector of pods keeps 12,500 finished pods, and removes evicted ones first", async () => {
  const controllers = ["pod-garbage-collector"] as const;
  await using cluster = await createCluster({ nodes: 0, time: "virtual", seed: 1, controllers });
  const pods = cluster.client.resource(Pod).namespace("default");
  const spec = { containers: [{ name: "main", image: "work:1" }] };
  const status = { phase: "Succeeded" as const };
  const evicted = { phase: "Failed" as const, reason: "Evicted" };
  const finish = async (name: string, status: object): Promise<void> => {
    await pods.create({ metadata: { name }, spec });
    await pods.subresource("status").patch(name, { type: "merge", patch: { status } });
  };
  for (let first = 0; first < 12_500; first += 500)
    await Promise.all(Array.from({ length: 500 }, (_, index) => finish(`pod-${String(first + index)}`, status)));
  await cluster.settled();
  expect((await pods.list({ limit: 1 })).metadata?.remainingItemCount).toBe(12_499);
  await finish("evicted", evicted);
  await cluster.settled();
  expect((await pods.list({ limit: 1 })).metadata?.remainingItemCount).toBe(12_499);
  expect(await pods.getOptional("evicted")).toBeUndefined();
}, 240_000);
