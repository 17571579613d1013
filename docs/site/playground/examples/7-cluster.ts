// Cluster: a rollout on simulated nodes, a crash, and a bad image that stops the next rollout.
import { createCluster, isAvailable } from "kubestream/cluster";
import { Deployment, ReplicaSet } from "kubestream/kinds/apps/v1";
import { Pod } from "kubestream/kinds/core/v1";
import { setImages, undoRollout } from "kubestream/operations";

// The cluster's time stands still except in `until` and `advance`.
const cluster = await createCluster({ nodes: 3, time: "virtual", images: { "web:bad": { run: () => 1 } } });
const deployments = cluster.client.resource(Deployment).namespace("default");
const replicaSets = cluster.client.resource(ReplicaSet).namespace("default");
const pods = cluster.client.resource(Pod).namespace("default");

await deployments.create({
  metadata: { name: "web" },
  spec: {
    replicas: 6,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } },
  },
});
await cluster.until(Deployment, "default/web", isAvailable);
const nodes = new Set((await pods.list()).items.map(({ spec }) => spec?.nodeName));
console.log("6 pods are available on", nodes.size, "nodes");

await setImages(deployments, "web", { main: "web:2" });
await cluster.until(Deployment, "default/web", isAvailable);
console.log(
  "version 2:",
  (await pods.list()).items.filter(({ spec }) => spec?.containers[0]?.image === "web:2").length,
);

const [first] = (await pods.list()).items;
const name = first?.metadata?.name ?? "";
await cluster.pods({ name }).crash({ exitCode: 137, reason: "OOMKilled" });
const restarted = await cluster.until(
  Pod,
  `default/${name}`,
  (pod) => pod?.status?.containerStatuses?.[0]?.ready === true && pod.status.containerStatuses[0].restartCount === 1,
);
console.log("restarted after", restarted?.status?.containerStatuses?.[0]?.lastState?.terminated?.reason);

// The new pods crash, so the rollout stops and the old ones keep serving.
await setImages(deployments, "web", { main: "web:bad" });
await cluster.advance("11m");
const stuck = await deployments.get("web");
console.log("still available:", stuck.status?.availableReplicas);
for (const { type, status, reason } of stuck.status?.conditions ?? []) console.log(" ", type, status, reason);

await undoRollout(deployments, replicaSets, "web");
await cluster.until(Deployment, "default/web", isAvailable);
console.log("undone:", (await deployments.get("web")).spec?.template.spec?.containers[0]?.image);
await cluster.close();

// Prints:
// 6 pods are available on 3 nodes
// version 2: 6
// restarted after OOMKilled
// still available: 5
//   Available True MinimumReplicasAvailable
//   Progressing False ProgressDeadlineExceeded
// undone: web:2
