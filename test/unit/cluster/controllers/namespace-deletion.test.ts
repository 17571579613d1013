import { expect, it } from "vitest";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import { ConfigMap, Namespace, Pod } from "../../../../src/kinds/core/v1.js";

it("a deleted namespace stays until its pods have ended gracefully, and so do its other objects", async () => {
  await using cluster = await createCluster({
    nodes: 1,
    time: "virtual",
    seed: 1,
    images: { "slow:*": { run: () => new Promise<number>(() => undefined) } },
  });
  const { client } = cluster;
  const namespaces = client.resource(Namespace);
  const pods = client.resource(Pod).namespace("web");
  const maps = client.resource(ConfigMap).namespace("web");
  await namespaces.create({ metadata: { name: "web" } });
  await maps.create({ metadata: { name: "config" } });
  const spec = { terminationGracePeriodSeconds: 10, containers: [{ name: "main", image: "slow:1" }] };
  await pods.create({ metadata: { name: "web" }, spec });
  await cluster.settled();
  await namespaces.delete("web");
  await cluster.advance("9s");
  expect((await pods.get("web")).metadata?.deletionGracePeriodSeconds).toBe(10);
  expect(await maps.getOptional("config")).toBeDefined();
  await cluster.advance("2s");
  expect(await namespaces.getOptional("web")).toBeUndefined();
});
