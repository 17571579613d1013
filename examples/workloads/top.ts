// Usage of nodes and pods next to their requests and limits, like `kubectl top`. The cluster needs metrics-server.
import { connect } from "kubestream/node";
import { quantityToNumber } from "kubestream/objects";
import { topNodes, topPods } from "kubestream/operations";

const client = await connect();
// Amounts are quantities such as "250m"; kubestream/objects adds and compares them.
const cores = (quantity = "0") => `${String(quantityToNumber(quantity) * 1000)}m`;

for (const { name, usage, allocatable } of await topNodes(client))
  console.log(name, cores(usage?.cpu), "of", cores(allocatable.cpu), usage?.memory ?? "");

// Pods without metrics, such as pending ones, have no usage.
for (const { name, usage, requests } of await topPods(client, { namespace: "web", labelSelector: "app=web" }))
  console.log(name, usage === undefined ? "no usage" : cores(usage.cpu), "requested", cores(requests.cpu));
await client.close();
