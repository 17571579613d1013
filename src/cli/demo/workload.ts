import type { Cluster } from "../../cluster/cluster.js";
import type { ImageScripts } from "../../cluster/nodes/containers/images.js";
import type { Clock } from "../../internal/clock.js";
import { sleep } from "../../internal/clock.js";
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../kinds/apps/v1.js";
import type { PodTemplateSpec } from "../../kinds/core/v1.js";
import { Namespace, Node, Pod } from "../../kinds/core/v1.js";
import { drain } from "../../operations/drain.js";
import { setImages, uncordon, undoRollout } from "../../operations/rollout.js";
import { scale } from "../../operations/scale.js";

/** Options for `createWorkload`. */
export interface WorkloadOptions {
  /** Number of pods to start with, about. */
  readonly pods: number;
  /** Called while the first pods start. */
  readonly onProgress: (ready: number) => void;
  /** Called with a line about each thing that is done to the cluster. */
  readonly onNews: (line: string) => void;
  /** Stops the preparation and the operations. */
  readonly signal: AbortSignal;
  /** Clock for the pace of the operations. */
  readonly clock: Clock;
}

/** Workloads of the demo, which people and machines keep changing. */
export interface Workload {
  /** Creates the workloads, and waits until their pods are ready. */
  prepare(): Promise<void>;
  /** Rolls out, scales, drains and crashes until the signal aborts. Rejects if the server refuses a change. */
  run(): Promise<void>;
}

/** Nodes of the demo's cluster. */
export const nodeCount = 6;
/** Milliseconds between two operations. */
const paceMs = 2_500;

/** Image that never comes up. */
const broken = "broken";

/** Images of the demo: they take a moment to pull and to become ready. */
export const images: ImageScripts = {
  [`*:${broken}`]: { pull: 300, run: () => 1 },
  "*": { pull: () => 200 + Math.random() * 1_200 },
};

interface Member {
  readonly namespace: string;
  readonly name: string;
  /** Share of the pods. */
  readonly weight: number;
  replicas: number;
  version: number;
}

/** Creates the demo's workload in a cluster. */
export function createWorkload(cluster: Cluster, options: WorkloadOptions): Workload {
  const members = deployments(options.pods);
  return {
    prepare: () => prepare(cluster, members, options),
    async run() {
      const { signal, clock, onNews } = options;
      const operations = [rollOut, resize, rollOut, crash, breakAndUndo, rollOut, drainNode];
      for (let turn = 0; !signal.aborted; turn++) {
        await sleep(paceMs, clock, signal);
        const operation = operations[turn % operations.length]!;
        await operation({ cluster, member: pick(members), onNews, signal, clock });
      }
    },
  };
}

/** Shares the pods among the Deployments. */
function deployments(pods: number): readonly Member[] {
  const weights = {
    "media/images": 5,
    "media/video": 3,
    "platform/auth": 3,
    "platform/gateway": 5,
    "shop/cart": 4,
    "shop/checkout": 4,
    "shop/search": 6,
    "shop/web": 8,
  };
  return Object.entries(weights).map(([path, weight]) => {
    const [namespace = "", name = ""] = path.split("/");
    return { namespace, name, weight, replicas: Math.max(1, Math.round((pods * weight) / 40)), version: 1 };
  });
}

async function prepare(cluster: Cluster, members: readonly Member[], options: WorkloadOptions): Promise<void> {
  const { client } = cluster;
  const { signal } = options;
  for (const name of new Set(["data", ...members.map(({ namespace }) => namespace)]))
    await client.resource(Namespace).create({ metadata: { name } }, { signal });
  for (const { namespace, name, replicas } of members)
    await client
      .resource(Deployment)
      .namespace(namespace)
      .create({ metadata: { name }, spec: { replicas, ...podsOf(name) } }, { signal });
  await client
    .resource(StatefulSet)
    .namespace("data")
    .create(
      { metadata: { name: "store" }, spec: { replicas: 3, serviceName: "store", ...podsOf("store") } },
      { signal },
    );
  await client
    .resource(DaemonSet)
    .namespace("platform")
    .create({ metadata: { name: "agent" }, spec: podsOf("agent") }, { signal });
  const wanted = members.reduce((sum, { replicas }) => sum + replicas, 3 + nodeCount);
  for (;;) {
    await sleep(100, options.clock, signal);
    const { items } = await client.resource(Pod).list({ resourceVersion: "0", signal });
    const ready = items.filter(({ status }) =>
      status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
    ).length;
    options.onProgress(ready);
    if (ready >= wanted) return;
  }
}

function podsOf(name: string): { selector: { matchLabels: Record<string, string> }; template: PodTemplateSpec } {
  const labels = { app: name };
  const readinessProbe = { httpGet: { path: "/ready", port: 8080 }, initialDelaySeconds: 1 };
  return {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image: `${name}:v1`, readinessProbe }] } },
  };
}

interface Operation {
  readonly cluster: Cluster;
  readonly member: Member;
  readonly onNews: (line: string) => void;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

async function rollOut({ cluster, member, onNews, signal }: Operation): Promise<void> {
  const image = `${member.name}:v${++member.version}`;
  onNews(`kubectl set image deployment/${member.name} main=${image} -n ${member.namespace}`);
  const handle = cluster.client.resource(Deployment).namespace(member.namespace);
  await setImages(handle, member.name, { main: image }, { signal });
}

async function resize({ cluster, member, onNews, signal }: Operation): Promise<void> {
  const replicas = Math.max(1, Math.round(member.replicas * (0.7 + Math.random() * 0.8)));
  onNews(`kubectl scale deployment/${member.name} --replicas=${replicas} -n ${member.namespace}`);
  await scale(cluster.client.resource(Deployment).namespace(member.namespace), member.name, replicas, { signal });
}

async function crash({ cluster, member, onNews }: Operation): Promise<void> {
  const { namespace, name } = member;
  const pods = cluster.pods({ namespace, labels: `app=${name}` });
  onNews(`${pods.list().length} pods of ${namespace}/${name} run out of memory`);
  await pods.crash({ exitCode: 137, reason: "OOMKilled" });
}

/** Rolls out an image that crashes, which stops by itself, and undoes it. */
async function breakAndUndo({ cluster, member, onNews, signal, clock }: Operation): Promise<void> {
  const { namespace, name } = member;
  const handle = cluster.client.resource(Deployment).namespace(namespace);
  onNews(`kubectl set image deployment/${name} main=${name}:${broken} -n ${namespace}`);
  await setImages(handle, name, { main: `${name}:${broken}` }, { signal });
  await sleep(2 * paceMs, clock, signal);
  onNews(`kubectl rollout undo deployment/${name} -n ${namespace}`);
  await undoRollout(handle, cluster.client.resource(ReplicaSet).namespace(namespace), name, { signal });
}

async function drainNode({ cluster, onNews, signal }: Operation): Promise<void> {
  const node = `node-${1 + Math.floor(Math.random() * nodeCount)}`;
  onNews(`kubectl drain ${node} --ignore-daemonsets`);
  await drain(cluster.client, node, { ignoreDaemonSets: true, signal });
  onNews(`kubectl uncordon ${node}`);
  await uncordon(cluster.client.resource(Node), node, { signal });
}

function pick<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)]!;
}
