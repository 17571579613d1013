// The landing page's cluster: workloads on simulated nodes, and the operations that keep them changing.
import { type Cluster, createCluster } from "kubestream/cluster";
import { DaemonSet, Deployment } from "kubestream/kinds/apps/v1";
import { Job } from "kubestream/kinds/batch/v1";
import { Node, type PodTemplateSpec } from "kubestream/kinds/core/v1";
import { drain, setImages, uncordon } from "kubestream/operations";

/** Names of the nodes, which are the rows of the view. */
export const nodes = ["node-1", "node-2", "node-3"] as const;

/** Number of changes of pods over which a watch can resume. */
export const remembered = 60;

/** Called with the name and the subject of an operation before it begins. */
export type OnOperation = (name: string, subject: string) => void;

/** Operations on the cluster. */
export interface Workload {
  readonly cluster: Cluster;
  /** Rolls out the next version of `web`. */
  rollOut(): Promise<void>;
  /** Drains a node, and lets it take pods again five seconds later. Does nothing while a drain is running. */
  drain(): Promise<void>;
  /** Runs the next of the operations that happen by themselves. */
  next(): Promise<void>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts the cluster and creates its workloads. */
export async function startWorkload(onOperation: OnOperation): Promise<Workload> {
  const cluster = await createCluster({
    nodes: nodes.length,
    server: { retention: { windowEvents: remembered } },
    images: {
      "report:*": {
        run: async ({ sleep }) => {
          await sleep(1_500 + Math.random() * 3_000);
          return Math.random() < 0.25 ? 1 : 0;
        },
      },
      "*": { pull: () => 200 + Math.random() * 900 },
    },
  });
  const { client } = cluster;
  const deployments = client.resource(Deployment).namespace("default");
  for (const [name, replicas] of [
    ["web", 16],
    ["cart", 8],
  ] as const)
    await deployments.create({ metadata: { name }, spec: { replicas, ...podsOf(name) } });
  await client
    .resource(DaemonSet)
    .namespace("default")
    .create({ metadata: { name: "agent" }, spec: podsOf("agent") });

  let version = 1;
  let turn = 0;
  let isDraining = false;
  async function rollOut(): Promise<void> {
    const image = `web:${++version}`;
    onOperation("rollout", image);
    await setImages(deployments, "web", { main: image });
  }
  async function crash(): Promise<void> {
    onOperation("crash", "the pods of cart run out of memory");
    await cluster.pods({ namespace: "default", labels: "app=cart" }).crash({ exitCode: 137, reason: "OOMKilled" });
  }
  async function report(): Promise<void> {
    const name = `report-${turn}`;
    onOperation("job", `${name}, 6 completions`);
    await client.resource(Job).namespace("default").create({ metadata: { name }, spec: reportSpec() });
  }
  const operations = [report, rollOut, report, crash];
  return {
    cluster,
    rollOut,
    async drain() {
      if (isDraining) return;
      isDraining = true;
      const node = nodes[1];
      onOperation("drain", node);
      await drain(client, node, { ignoreDaemonSets: true });
      await pause(5_000);
      await uncordon(client.resource(Node), node);
      onOperation("uncordon", node);
      isDraining = false;
    },
    next: () => operations[turn++ % operations.length]!(),
  };
}

function podsOf(name: string): { selector: { matchLabels: Record<string, string> }; template: PodTemplateSpec } {
  const labels = { app: name };
  const readinessProbe = { httpGet: { path: "/ready", port: 8080 }, initialDelaySeconds: 1 };
  return {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image: `${name}:1`, readinessProbe }] } },
  };
}

function reportSpec(): NonNullable<Job["spec"]> {
  return {
    completions: 6,
    parallelism: 6,
    ttlSecondsAfterFinished: 4,
    template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "report:1" }] } },
  };
}
