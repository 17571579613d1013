// Wait for a condition, like `kubectl wait`. The wait uses a watch, not polling.
import { hasCondition, isDeleted, waitFor } from "kubestream/cache";
import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect();
const pods = client.resource(Pod).namespace("default");
await pods.create({ metadata: { name: "slow" }, spec: { containers: [{ name: "main", image: "web:1" }] } });

// Stands in for the kubelet.
setTimeout(() => {
  const status = { phase: "Running", podIP: "10.0.0.7", conditions: [{ type: "Ready", status: "True" }] } as const;
  void pods.subresource("status").patch("slow", { type: "strategic", patch: { status } });
}, 50);

const ready = await waitFor(pods, "slow", hasCondition("Ready"), { timeoutMs: 10_000 });
console.log("ready:", ready?.status?.phase);

// Any function of the object is a condition. `undefined` means that the object doesn't exist.
const withAddress = await waitFor(pods, "slow", (pod) => pod?.status?.podIP !== undefined, { timeoutMs: 10_000 });
console.log("address:", withAddress?.status?.podIP);

try {
  await waitFor(pods, "slow", hasCondition("Initialized"), { timeoutMs: 50 });
} catch (error) {
  console.log(error instanceof Error && error.message);
}
await pods.delete("slow", { gracePeriodSeconds: 0 });
await waitFor(pods, "slow", isDeleted(ready?.metadata?.uid), { timeoutMs: 10_000 });
console.log("deleted");
await client.close();
