// Drain a node like `kubectl drain`: cordon it, then evict its pods. A PodDisruptionBudget can block an eviction.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { Node, Pod } from "kubestream/kinds/core/v1";
import { DrainError, drain, uncordon } from "kubestream/operations";

await using server = createApiServer();
await using client = createClient({ transport: handlerTransport(server.handle) });
const nodes = client.resource(Node);
const pods = client.resource(Pod).namespace("default");
await nodes.create({ metadata: { name: "node-1" } });
const container = { name: "main", image: "web:1" };
await pods.create({ metadata: { name: "bare" }, spec: { nodeName: "node-1", containers: [container] } });
await pods.create({
  metadata: {
    name: "managed",
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "1", controller: true }],
  },
  spec: { nodeName: "node-1", containers: [container] },
});

try {
  await drain(client, "node-1");
} catch (error) {
  if (!(error instanceof DrainError)) throw error;
  for (const { name, reason } of error.pods) console.log("not drained:", name, reason);
}
// `force` also evicts pods without a controller. No controller recreates them.
const { taken } = await drain(client, "node-1", {
  force: true,
  gracePeriodSeconds: 0,
  onProgress: ({ name, step }) => console.log(name, step),
});
console.log("evicted:", taken.map(({ name }) => name).sort());
console.log("unschedulable:", (await nodes.get("node-1")).spec?.unschedulable);
await uncordon(nodes, "node-1");
console.log("unschedulable:", (await nodes.get("node-1")).spec?.unschedulable ?? false);
