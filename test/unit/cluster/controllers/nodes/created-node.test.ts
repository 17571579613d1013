import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { Node } from "../../../../../src/kinds/core/v1.js";

async function createNode({ client, settled }: Cluster, labels: Record<string, string> = {}): Promise<Node> {
  await client.resource(Node).create({ metadata: { name: "extra", labels } });
  await settled();
  return await client.resource(Node).get("extra");
}

describe("a node that a client creates", () => {
  it("has no taint until it should have reported its status", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    const { spec, metadata } = await createNode(cluster);
    expect(spec?.taints).toBeUndefined();
    expect(metadata?.annotations).toEqual({ "node.alpha.kubernetes.io/ttl": "0" });
    await cluster.advance("65s");
    const lost = await cluster.client.resource(Node).get("extra");
    expect(lost.status?.conditions?.map(({ type, status }) => `${type} ${status}`)).toContain("Ready Unknown");
    expect(lost.spec?.taints?.map(({ key, effect }) => `${key} ${effect}`)).toContain(
      "node.kubernetes.io/unreachable NoSchedule",
    );
  });

  it("has its operating system and architecture under the older names of the labels, too", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    const { metadata } = await createNode(cluster, {
      "kubernetes.io/os": "linux",
      "kubernetes.io/arch": "arm64",
      "beta.kubernetes.io/arch": "amd64",
    });
    expect(metadata?.labels).toEqual({
      "kubernetes.io/os": "linux",
      "kubernetes.io/arch": "arm64",
      "beta.kubernetes.io/os": "linux",
      "beta.kubernetes.io/arch": "arm64",
    });
  });
});
