// Two clusters in this process, whose shops are deployed, scaled and broken while you watch.
import { type Cluster, createCluster } from "kubestream/cluster";
import { Deployment } from "kubestream/kinds/apps/v1";
import { Namespace } from "kubestream/kinds/core/v1";
import { scale, setImages } from "kubestream/operations";

const workloads = { shop: ["web", "cart", "search", "checkout"], media: ["images", "video"] };

/** Starts a cluster with Deployments that someone keeps changing. */
export async function startCluster(nodes: number): Promise<Cluster> {
  const cluster = await createCluster({
    nodes,
    images: {
      "*": {
        pull: () => 300 + Math.random() * 1_500,
        usage: () => ({ cpu: `${50 + Math.floor(Math.random() * 150)}m`, memory: "128Mi" }),
        async run({ stdout, sleep, pod }) {
          stdout.write(`${pod.metadata?.name ?? ""} listens on port 8080\n`);
          for (let request = 1; ; request++) {
            await sleep(500 + Math.random() * 2_000);
            stdout.write(
              `GET /item/${Math.floor(Math.random() * 900)} 200 ${Math.floor(Math.random() * 90)} ms #${request}\n`,
            );
          }
        },
      },
    },
  });
  for (const [namespace, names] of Object.entries(workloads)) {
    await cluster.client.resource(Namespace).create({ metadata: { name: namespace } });
    for (const name of names) await cluster.client.resource(Deployment).namespace(namespace).create(deployment(name));
  }
  return cluster;
}

function deployment(name: string): Deployment {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      replicas: 2 + Math.floor(Math.random() * 5),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: `${name}:v1` }] } },
    },
  };
}

/** Changes something every few seconds, until the signal aborts. */
export function keepBusy({ client, pods }: Cluster, signal: AbortSignal): void {
  let version = 1;
  const timer = setInterval(() => {
    const namespaces = Object.entries(workloads);
    const [namespace, names] = namespaces[version % namespaces.length]!;
    const name = names[Math.floor(Math.random() * names.length)]!;
    const handle = client.resource(Deployment).namespace(namespace);
    const change = [
      () => setImages(handle, name, { main: `${name}:v${version}` }),
      () => scale(handle, name, 1 + Math.floor(Math.random() * 7)),
      () => pods({ namespace, labels: `app=${name}` }).crash({ exitCode: 137, reason: "OOMKilled" }),
    ][version++ % 3]!;
    // A Deployment without pods can't crash.
    Promise.resolve(change()).catch(() => undefined);
  }, 4_000);
  signal.addEventListener("abort", () => clearInterval(timer));
}
