import { describe, expect, it } from "vitest";
import { CacheTime } from "../../../../../src/cluster/controllers/nodes/cache-time.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { Node } from "../../../../../src/kinds/core/v1.js";

const annotation = "node.alpha.kubernetes.io/ttl";

describe("CacheTime", () => {
  it.each([
    [
      "a small cluster",
      [
        [0, 0],
        [100, 0],
        [101, 15],
      ],
    ],
    [
      "a cluster that grows",
      [
        [100, 0],
        [500, 15],
        [501, 30],
        [1_000, 30],
        [1_001, 60],
        [2_000, 60],
        [2_001, 300],
      ],
    ],
    ["one that grows at once", [[100_000, 300]]],
    [
      "one that shrinks",
      [
        [2_001, 300],
        [1_800, 300],
        [1_799, 60],
        [899, 30],
        [449, 15],
        [89, 0],
      ],
    ],
    [
      "one that shrinks at once",
      [
        [5_000, 300],
        [0, 0],
      ],
    ],
    [
      "a cluster around a limit",
      [
        [101, 15],
        [100, 15],
        [90, 15],
        [89, 0],
        [100, 0],
        [101, 15],
      ],
    ],
  ])("follows %s", (_title, sizes) => {
    const time = new CacheTime();
    expect(sizes.map(([nodes]) => [nodes, Number(time.resize(nodes!))])).toEqual(sizes);
  });
});

it("nodes get the time that kubelets cache Secrets, also when a user changes it", async () => {
  await using cluster = await createCluster({ nodes: 1, time: "virtual", seed: 1 });
  const nodes = cluster.client.resource(Node);
  const read = async (): Promise<string | undefined> => {
    await cluster.settled();
    return (await nodes.get("node-1")).metadata?.annotations?.[annotation];
  };
  expect(await read()).toBe("0");
  await nodes.patch("node-1", { type: "merge", patch: { metadata: { annotations: { [annotation]: "7" } } } });
  expect(await read()).toBe("0");
});
