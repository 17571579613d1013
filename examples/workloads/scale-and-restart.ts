// Scale a Deployment, change its image and restart it, like `kubectl scale`, `set image` and `rollout restart`.
import { Deployment } from "kubestream/kinds/apps/v1";
import { connect } from "kubestream/node";
import { pauseRollout, restart, resumeRollout, scale, setImages } from "kubestream/operations";

const client = await connect();
const deployments = client.resource(Deployment).namespace("default");
const labels = { app: "scaled" };
await deployments.create({
  metadata: { name: "scaled" },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "web:1" }] } },
  },
});

// `from` makes the call fail with a conflict if the Deployment doesn't have one replica.
const scaled = await scale(deployments, "scaled", 3, { from: 1 });
console.log("replicas:", scaled.spec?.replicas);

await pauseRollout(deployments, "scaled");
await setImages(deployments, "scaled", { main: "web:2" });
const restarted = await restart(deployments, "scaled", { at: new Date("2030-01-01T00:00:00Z") });
const resumed = await resumeRollout(deployments, "scaled");
console.log("image:", resumed.spec?.template.spec?.containers[0]?.image);
console.log(restarted.spec?.template.metadata?.annotations);
console.log("generation:", resumed.metadata?.generation);
await deployments.delete("scaled");
await client.close();
