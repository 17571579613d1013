import { expect, it } from "vitest";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { ConfigMap, Event, Namespace } from "../../../../../src/kinds/core/v1.js";
import { ClusterRole } from "../../../../../src/kinds/rbac/v1.js";
import { ownerReference } from "../../../../../src/objects/owner-references.js";

it.each([
  ["of the server", {}],
  ["of the cluster", { controllers: ["garbage-collector"] }],
] as const)("the garbage collector %s reports once that an owner is in another namespace", async (_, options) => {
  await using cluster = await createCluster({ nodes: 0, time: "virtual", seed: 1, ...options });
  const { client } = cluster;
  await client.resource(Namespace).create({ metadata: { name: "team" } });
  const maps = client.resource(ConfigMap).namespace("default");
  const owner = await maps.create({ metadata: { name: "owner" } });
  const elsewhere = await client
    .resource(ConfigMap)
    .namespace("team")
    .create({ metadata: { name: "elsewhere" } });
  const { uid = "" } = elsewhere.metadata!;
  await maps.create({ metadata: { name: "a", ownerReferences: [ownerReference(elsewhere)] } });
  await maps.create({ metadata: { name: "b", ownerReferences: [ownerReference(owner), ownerReference(elsewhere)] } });
  const roles = client.resource(ClusterRole);
  await roles.create({ metadata: { name: "role", ownerReferences: [ownerReference(elsewhere)] }, rules: [] });
  await cluster.settled();
  const names = (await maps.list()).items.map(({ metadata }) => metadata!.name!);
  expect(names.filter((name) => name !== "kube-root-ca.crt")).toEqual(["b", "owner"]);
  expect((await maps.get("b")).metadata?.ownerReferences?.map(({ name }) => name)).toEqual(["owner"]);
  await roles.patch("role", { type: "merge", patch: { metadata: { labels: { changed: "yes" } } } });
  await cluster.advance("1m");
  const { items } = await client.resource(Event).list();
  const notes = items
    .filter(({ reason }) => reason === "OwnerRefInvalidNamespace")
    .map(({ involvedObject, source, message, count }) => [involvedObject.name, source?.component, message, count]);
  const note = (namespace: string): string =>
    `ownerRef [v1/ConfigMap, namespace: ${namespace}, name: elsewhere, uid: ${uid}] does not exist in namespace "${namespace}"`;
  const component = "garbage-collector-controller";
  expect(notes.sort()).toEqual([
    ["a", component, note("default"), 1],
    ["b", component, note("default"), 1],
    ["role", component, note(""), 1],
  ]);
});
