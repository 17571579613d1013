// The controllers that do outside of the API server what the embedded one does itself.
import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { ConfigMap, Namespace, Secret, ServiceAccount } from "../../../../../src/kinds/core/v1.js";
import type { DeleteOptions } from "../../../../../src/meta/options.js";
import { ownerReference } from "../../../../../src/objects/owner-references.js";

async function start(): Promise<Cluster> {
  return await createCluster({
    nodes: 0,
    time: "virtual",
    seed: 1,
    metrics: false,
    server: { rootCa: "the CA" },
    controllers: ["garbage-collector", "namespace", "serviceaccount", "root-ca-certificate-publisher"],
  });
}

describe("the garbage collector", () => {
  /** Creates a ConfigMap that owns another one, which owns a Secret. */
  async function createChain(cluster: Cluster): Promise<void> {
    const maps = cluster.client.resource(ConfigMap).namespace("default");
    const top = await maps.create({ metadata: { name: "top" } });
    const middle = await maps.create({
      metadata: { name: "middle", ownerReferences: [ownerReference(top, { controller: true })] },
    });
    await cluster.client
      .resource(Secret)
      .namespace("default")
      .create({ metadata: { name: "leaf", ownerReferences: [ownerReference(middle, { controller: true })] } });
    await cluster.settled();
  }

  async function remaining(cluster: Cluster): Promise<string[]> {
    await cluster.advance("1m");
    const maps = await cluster.client.resource(ConfigMap).namespace("default").list();
    const secrets = await cluster.client.resource(Secret).namespace("default").list();
    return [...maps.items, ...secrets.items]
      .map(({ metadata }) => `${metadata?.name}${metadata?.ownerReferences === undefined ? "" : " owned"}`)
      .filter((name) => name !== "kube-root-ca.crt");
  }

  it.each<[NonNullable<DeleteOptions["propagationPolicy"]>, string[]]>([
    ["Background", []],
    ["Foreground", []],
    ["Orphan", ["middle", "leaf owned"]],
  ])("after a deletion with the policy %s leaves %j", async (propagationPolicy, expected) => {
    await using cluster = await start();
    await createChain(cluster);
    expect(await remaining(cluster)).toEqual(["middle owned", "top", "leaf owned"]);
    await cluster.client.resource(ConfigMap).namespace("default").delete("top", { propagationPolicy });
    expect(await remaining(cluster)).toEqual(expected);
  });

  it("deletes what refers to an owner that never existed, and keeps what has another one", async () => {
    await using cluster = await start();
    const maps = cluster.client.resource(ConfigMap).namespace("default");
    const owner = await maps.create({ metadata: { name: "owner" } });
    const gone = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "no-such-uid" };
    const unknown = { apiVersion: "example.com/v1", kind: "Unknown", name: "later", uid: "later-uid" };
    await maps.create({ metadata: { name: "a", ownerReferences: [gone] } });
    await maps.create({ metadata: { name: "b", ownerReferences: [gone, ownerReference(owner)] } });
    await maps.create({ metadata: { name: "c", ownerReferences: [unknown] } });
    expect(await remaining(cluster)).toEqual(["b owned", "c owned", "owner"]);
    expect((await maps.get("b")).metadata?.ownerReferences?.map(({ name }) => name)).toEqual(["owner"]);
  });
});

describe("the controllers of namespaces", () => {
  it("give a namespace its ServiceAccount and the CA, again after a change", async () => {
    await using cluster = await start();
    await cluster.client.resource(Namespace).create({ metadata: { name: "team" } });
    await cluster.settled();
    await cluster.client.resource(ServiceAccount).namespace("team").delete("default");
    const maps = cluster.client.resource(ConfigMap).namespace("team");
    await maps.patch("kube-root-ca.crt", { type: "merge", patch: { data: { "ca.crt": "forged" } } });
    await cluster.settled();
    expect((await cluster.client.resource(ServiceAccount).namespace("team").get("default")).metadata?.name).toBe(
      "default",
    );
    expect((await maps.get("kube-root-ca.crt")).data).toEqual({ "ca.crt": "the CA" });
  });

  it("empty a namespace that is deleted, and report what holds it", async () => {
    await using cluster = await start();
    await cluster.client.resource(Namespace).create({ metadata: { name: "team" } });
    const maps = cluster.client.resource(ConfigMap).namespace("team");
    await maps.create({ metadata: { name: "held", finalizers: ["example.com/hold"] } });
    await maps.create({ metadata: { name: "free" } });
    await cluster.client.resource(Namespace).delete("team");
    await cluster.advance("10s");
    expect((await maps.list()).items.map(({ metadata }) => metadata?.name)).toEqual(["held"]);
    const { status } = await cluster.client.resource(Namespace).get("team");
    const conditions = Object.fromEntries((status?.conditions ?? []).map(({ type, reason }) => [type, reason]));
    expect(conditions).toMatchObject({
      NamespaceContentRemaining: "SomeResourcesRemain",
      NamespaceFinalizersRemaining: "SomeFinalizersRemain",
    });
    await maps.patch("held", { type: "merge", patch: { metadata: { finalizers: null } } });
    await cluster.advance("10s");
    expect(await cluster.client.resource(Namespace).getOptional("team")).toBeUndefined();
  });
});
