// Random histories of workloads, as steps that can run on any cluster.
import type { Client } from "../../../src/client/client.js";
import { isNotFound } from "../../../src/errors/predicates.js";
import { DaemonSet, Deployment, StatefulSet } from "../../../src/kinds/apps/v1.js";
import { Job } from "../../../src/kinds/batch/v1.js";
import { Node, Pod, type PodTemplateSpec } from "../../../src/kinds/core/v1.js";
import { PodDisruptionBudget } from "../../../src/kinds/policy/v1.js";
import { drain } from "../../../src/operations/drain.js";

/** Change of a cluster. */
export interface Step {
  readonly title: string;
  run(client: Client, namespace: string): Promise<unknown>;
}

type Random = () => number;

/** Label and taint of the nodes that belong to one history at a time, which others can't drain. */
export const poolKey = "pool";

function templateOf(app: string, version: number, pool: string): PodTemplateSpec {
  return {
    metadata: { labels: { app } },
    spec: {
      containers: [{ name: "main", image: `${app}:${String(version)}` }],
      nodeSelector: { [poolKey]: pool },
      tolerations: [{ key: poolKey, value: pool, effect: "NoSchedule" }],
    },
  };
}

const patchOf = (app: string, version: number, pool: string): { type: "strategic"; patch: object } => ({
  type: "strategic",
  patch: { spec: { template: templateOf(app, version, pool) } },
});

/** Returns the steps that create a workload of each kind. */
function creations(random: Random, pool: string): Record<string, Step["run"]> {
  const replicas = 1 + Math.floor(random() * 4);
  const selector = (app: string): object => ({ selector: { matchLabels: { app } } });
  return {
    deployment: (client, namespace) =>
      client
        .resource(Deployment)
        .namespace(namespace)
        .create({
          metadata: { name: "deployment" },
          spec: {
            replicas,
            ...(selector("deployment") as { selector: object }),
            template: templateOf("deployment", 1, pool),
          },
        }),
    statefulset: (client, namespace) =>
      client
        .resource(StatefulSet)
        .namespace(namespace)
        .create({
          metadata: { name: "statefulset" },
          spec: {
            replicas,
            serviceName: "statefulset",
            ...(selector("statefulset") as { selector: object }),
            template: templateOf("statefulset", 1, pool),
          },
        }),
    daemonset: (client, namespace) =>
      client
        .resource(DaemonSet)
        .namespace(namespace)
        .create({
          metadata: { name: "daemonset" },
          spec: { ...(selector("daemonset") as { selector: object }), template: templateOf("daemonset", 1, pool) },
        }),
    job: (client, namespace) => {
      const { spec } = templateOf("job", 1, pool);
      return client
        .resource(Job)
        .namespace(namespace)
        .create({
          metadata: { name: "job" },
          spec: {
            completions: replicas,
            parallelism: 2,
            completionMode: replicas > 2 ? "Indexed" : "NonIndexed",
            template: { spec: { ...spec!, restartPolicy: "Never" } },
          },
        });
    },
  };
}

/** Returns a random history on the nodes of a pool. The same seed gives the same one. */
export function historyOf(
  random: Random,
  { nodes, pool, length }: { nodes: readonly string[]; pool: string; length: number },
): Step[] {
  const steps: Step[] = [];
  const live = new Map<string, number>();
  let cordoned: string | undefined;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const kinds = { deployment: Deployment, statefulset: StatefulSet, daemonset: DaemonSet, job: Job };
  const create = creations(random, pool);
  while (steps.length < length) {
    const missing = Object.keys(create).filter((name) => !live.has(name));
    const roll = random();
    const kind = live.size > 0 ? pick([...live.keys()]) : undefined;
    if (kind === undefined || (roll < 0.35 && missing.length > 0)) {
      const name = pick(missing);
      live.set(name, 1);
      steps.push({ title: `create ${name}`, run: create[name]! });
    } else if (roll < 0.5 && (kind === "deployment" || kind === "statefulset")) {
      const replicas = Math.floor(random() * 6);
      const handle = kinds[kind] as typeof Deployment;
      steps.push({
        title: `scale ${kind} to ${String(replicas)}`,
        run: (client, namespace) =>
          client
            .resource(handle)
            .namespace(namespace)
            .patch(kind, { type: "merge", patch: { spec: { replicas } } }),
      });
    } else if (roll < 0.7 && kind !== "job") {
      const version = live.get(kind)! + 1;
      live.set(kind, version);
      const handle = kinds[kind as keyof typeof kinds] as typeof Deployment;
      steps.push({
        title: `update ${kind} to version ${String(version)}`,
        run: (client, namespace) =>
          client
            .resource(handle)
            .namespace(namespace)
            .patch(kind, patchOf(kind, version, pool)),
      });
    } else if (roll < 0.8)
      steps.push({ title: `kill a pod of ${kind}`, run: (client, namespace) => killOne(client, namespace, kind) });
    else if (roll < 0.9) {
      const node = cordoned ?? pick(nodes);
      const back = cordoned !== undefined;
      cordoned = back ? undefined : node;
      steps.push({
        title: `${back ? "uncordon" : "drain"} ${node}`,
        run: (client) =>
          back
            ? client.resource(Node).patch(node, { type: "merge", patch: { spec: { unschedulable: null } } })
            : drain(client, node, {
                ignoreDaemonSets: true,
                force: true,
                gracePeriodSeconds: 1,
                signal: AbortSignal.timeout(60_000),
              }),
      });
    } else if (roll < 0.95) {
      live.delete(kind);
      const handle = kinds[kind as keyof typeof kinds] as typeof Deployment;
      steps.push({
        title: `delete ${kind}`,
        run: (client, namespace) =>
          client.resource(handle).namespace(namespace).delete(kind, { propagationPolicy: "Background" }),
      });
    } else
      steps.push({
        title: `limit the disruptions of ${kind}`,
        run: (client, namespace) =>
          client
            .resource(PodDisruptionBudget)
            .namespace(namespace)
            .create({
              metadata: { name: `${kind}-${String(steps.length)}` },
              spec: { maxUnavailable: 1, selector: { matchLabels: { app: kind } } },
            })
            .catch((error: unknown) => error),
      });
  }
  if (cordoned !== undefined) {
    const node = cordoned;
    steps.push({
      title: `uncordon ${node}`,
      run: (client) => client.resource(Node).patch(node, { type: "merge", patch: { spec: { unschedulable: null } } }),
    });
  }
  return steps;
}

/** Deletes the pod of a workload that has the first name, without grace. */
async function killOne(client: Client, namespace: string, app: string): Promise<void> {
  const pods = client.resource(Pod).namespace(namespace);
  const { items } = await pods.list({ labelSelector: app === "job" ? "job-name=job" : `app=${app}` });
  const running = items.filter(({ status }) => status?.phase === "Running" || status?.phase === "Pending");
  const name = running.map(({ metadata }) => metadata!.name!).sort()[0];
  if (name === undefined) return;
  await pods.delete(name, { gracePeriodSeconds: 0 }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}
