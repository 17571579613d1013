// A whole cluster in this process: a Deployment rolls out, one of its pods crashes, and a command runs in another.
import { createCluster } from "kubestream/cluster";
import { Deployment } from "kubestream/kinds/apps/v1";
import { Pod } from "kubestream/kinds/core/v1";
import { runCommand } from "kubestream/streams";

await using cluster = await createCluster({
  nodes: 2,
  images: {
    "web:*": {
      async exec({ args, stdout }) {
        stdout.write(`ran ${args.join(" ")}\n`);
      },
    },
  },
  time: "virtual",
});
await cluster.client
  .resource(Deployment)
  .namespace("default")
  .create({
    metadata: { name: "web" },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } },
    },
  });
const web = await cluster.until(Deployment, "default/web", (web) => web?.status?.availableReplicas === 3);
console.log("available:", web?.status?.availableReplicas);

const { items } = await cluster.client.resource(Pod).namespace("default").list({ labelSelector: "app=web" });
const name = items[0]!.metadata!.name!;
await cluster.pods({ namespace: "default", name }).crash({ exitCode: 137, reason: "OOMKilled" });
const restarted = await cluster.until(
  Pod,
  `default/${name}`,
  (pod) => pod?.status?.containerStatuses?.[0]?.restartCount === 1,
);
console.log("before the restart:", restarted?.status?.containerStatuses?.[0]?.lastState?.terminated?.reason);

const { stdout } = await runCommand(cluster.client, { namespace: "default", name }, { command: ["migrate", "--all"] });
console.log(new TextDecoder().decode(stdout).trim());
