// A rollout and its undo in a cluster that runs in the process: controllers, a scheduler, simulated nodes, virtual time.
import { createCluster, isAvailable } from "kubestream/cluster";
import { Deployment, ReplicaSet } from "kubestream/kinds/apps/v1";
import { Pod } from "kubestream/kinds/core/v1";
import { setImages, undoRollout } from "kubestream/operations";

await using cluster = await createCluster({ nodes: 2, time: "virtual" });
const deployments = cluster.client.resource(Deployment).namespace("default");
const pods = cluster.client.resource(Pod).namespace("default");

/** Waits until all replicas run the newest template, and prints their images. */
async function rolledOut(): Promise<void> {
  await cluster.until(Deployment, "default/web", isAvailable);
  const images = (await pods.list()).items
    .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
    .map(({ spec }) => spec?.containers[0]?.image);
  console.log(images);
}

await deployments.create({
  metadata: { name: "web" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } },
  },
});
await rolledOut();
await setImages(deployments, "web", { main: "web:2" });
await rolledOut();
await undoRollout(deployments, cluster.client.resource(ReplicaSet).namespace("default"), "web");
await rolledOut();
