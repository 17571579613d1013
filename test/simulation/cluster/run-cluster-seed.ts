import type { Cluster } from "../../../src/cluster/cluster.js";
import { createCluster } from "../../../src/cluster/create-cluster.js";
import type { ImageScripts } from "../../../src/cluster/nodes/containers/images.js";
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../../src/kinds/apps/v1.js";
import { Job } from "../../../src/kinds/batch/v1.js";
import { Node, PersistentVolumeClaim, Pod } from "../../../src/kinds/core/v1.js";
import { PodDisruptionBudget } from "../../../src/kinds/policy/v1.js";
import { ResourceClaim } from "../../../src/kinds/resource/v1.js";
import type { Kind } from "../../../src/meta/kind.js";
import type { DeepReadonly, KubernetesObject } from "../../../src/meta/object.js";
import { getControllerOwner } from "../../../src/objects/owner-references.js";
import { createRandom, type Random } from "../random.js";
import { Actor } from "./actor.js";
import { isFinished, MoreRules } from "./more-rules.js";
import { fatalExitCode } from "./more-workloads.js";
import { Observer } from "./observer.js";

/** Result of one seed. */
export interface ClusterOutcome {
  /** Violated rules; empty on success. */
  readonly faults: readonly string[];
  /** Steps of the seed, one line each. */
  readonly story: readonly string[];
  /** Every change of a pod, workload or budget, as JSON. */
  readonly history: readonly string[];
}

const steps = 5;

/** Plays a random history of a cluster: rollouts, evictions, failures and faults, and checks the rules on the way. */
export async function runClusterSeed(seed: number): Promise<ClusterOutcome> {
  const random = createRandom(seed, "cluster");
  const history: string[] = [];
  let now = (): number => 0;
  let areBudgetsCurrent = (): boolean => true;
  const observer = new Observer(
    () => now(),
    () => areBudgetsCurrent(),
  );
  const more = new MoreRules((text) => observer.fault(text));
  await using cluster = await createCluster({
    nodes: 2 + random.int(2),
    time: "virtual",
    seed,
    images: { ...taskScripts(createRandom(seed, "tasks")), ...scripts(observer) },
    metrics: false,
    controllers: [
      "deployment",
      "replicaset",
      "statefulset",
      "daemonset",
      "job",
      "disruption",
      "node-lifecycle",
      "taint-eviction",
      "pod-garbage-collector",
      "persistentvolume-binder",
      "persistentvolumeclaim-protection",
      "resourceclaim",
    ],
    server: { faultSeed: seed },
  });
  now = () => cluster.now();
  const end = new AbortController();
  const watches = [
    watch(cluster, Pod, end.signal, history, (_, pod, uid) => {
      observer.pod(uid, pod);
      more.pod(uid, pod);
    }),
    watch(cluster, DaemonSet, end.signal, history, (name, object) => more.daemonSet(name, object)),
    watch(cluster, Job, end.signal, history, (name, object) => more.job(name, object)),
    watch(cluster, ResourceClaim, end.signal, history, (name, object) => more.claim(name, object)),
    watch(cluster, Deployment, end.signal, history, (name, object) => observer.workload("Deployment", name, object)),
    watch(cluster, ReplicaSet, end.signal, history, (_, object, uid) => observer.replicaSet(uid, object)),
    watch(cluster, StatefulSet, end.signal, history, (name, object) => observer.workload("StatefulSet", name, object)),
    watch(cluster, PodDisruptionBudget, end.signal, history, (name, object) => observer.budget(name, object)),
  ];
  // A quarter of all requests would report events, and no rule is about them.
  cluster.server.faults.add({ match: { resource: "events" }, effect: { type: "status", code: 403 } });
  const actor = new Actor(cluster, random);
  areBudgetsCurrent = () => actor.keepsBudgets;
  await actor.begin();
  for (let step = 0; step < steps; step++) await actor.act();
  await actor.repair();
  const faults = [
    ...observer.faults,
    ...(await unfinished(cluster)),
    ...(await unfinishedMore(cluster)),
    ...(await unboundClaims(cluster)),
    ...(await leftOverClaims(cluster)),
  ];
  end.abort();
  await Promise.all(watches);
  return { faults, story: actor.story, history };
}

/** Containers that report their processes. They take a while to start and to stop. */
function scripts(observer: Observer): ImageScripts {
  return {
    "*": {
      pull: ({ node }) => (node === "node-1" ? "3s" : "1s"),
      async run({ pod, signal, sleep }) {
        const { name = "", uid = "" } = pod.metadata ?? {};
        observer.started(name, uid);
        const stopped = new Promise<void>((resolve) =>
          signal.addEventListener("abort", () => resolve(), { once: true }),
        );
        if (!signal.aborted) await stopped;
        observer.ended(name, uid);
        await sleep(0).catch(() => undefined);
      },
    },
  };
}

/** Containers of Jobs, which end after some seconds, at times with a failure. */
function taskScripts({ int, chance }: Random): ImageScripts {
  return {
    "task-*": {
      async run({ sleep }) {
        const stopped = await sleep((5 + int(40)) * 1_000).then(
          () => false,
          () => true,
        );
        if (stopped) return 143;
        return chance(0.75) ? 0 : chance(0.2) ? fatalExitCode : 1;
      },
    },
  };
}

/** Follows all objects of a kind until the signal aborts. */
async function watch<T extends KubernetesObject>(
  cluster: Cluster,
  kind: Kind<T>,
  signal: AbortSignal,
  history: string[],
  take: (name: string, object: DeepReadonly<T> | undefined, uid: string) => void,
): Promise<void> {
  try {
    const events = cluster.client.resource(kind).watch({ resourceVersion: "0", timeoutSeconds: 100_000_000, signal });
    for await (const event of events) {
      if (event.type === "BOOKMARK") continue;
      const { metadata } = event.object as T;
      history.push(`${event.type} ${JSON.stringify(event.object)}`);
      take(metadata!.name!, event.type === "DELETED" ? undefined : (event.object as DeepReadonly<T>), metadata!.uid!);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Returns the claims of StatefulSets that have no volume after everything has had time to recover. */
async function unboundClaims(cluster: Cluster): Promise<string[]> {
  const { items: sets } = await cluster.client.resource(StatefulSet).list();
  const { items: claims } = await cluster.client.resource(PersistentVolumeClaim).list();
  const bound = new Set(claims.filter(({ status }) => status?.phase === "Bound").map(({ metadata }) => metadata?.name));
  return sets.flatMap(({ metadata, spec }) =>
    (spec?.volumeClaimTemplates ?? []).flatMap((template) =>
      Array.from({ length: spec?.replicas ?? 1 }, (_, index) => `${template.metadata?.name}-${metadata?.name}-${index}`)
        .filter((name) => !bound.has(name))
        .map((name) => `the claim ${name} has no volume`),
    ),
  );
}

/** Returns the ResourceClaims that no pod uses after everything has had time to recover. */
async function leftOverClaims(cluster: Cluster): Promise<string[]> {
  const { items: claims } = await cluster.client.resource(ResourceClaim).list();
  const { items: pods } = await cluster.client.resource(Pod).list();
  const uids = new Set(pods.map(({ metadata }) => metadata?.uid));
  return claims
    .filter(({ status }) => !(status?.reservedFor ?? []).some(({ uid }) => uids.has(uid)))
    .map(({ metadata }) => `no pod uses the claim ${metadata?.name}`);
}

/** Returns the Jobs that haven't ended and the DaemonSets that lack pods after everything has had time to recover. */
async function unfinishedMore(cluster: Cluster): Promise<string[]> {
  const faults: string[] = [];
  const [jobs, sets, nodes, pods] = await Promise.all([
    cluster.client.resource(Job).list(),
    cluster.client.resource(DaemonSet).list(),
    cluster.client.resource(Node).list(),
    cluster.client.resource(Pod).list(),
  ]);
  for (const job of jobs.items) {
    const { metadata, spec, status } = job;
    const finished = isFinished(job);
    const { succeeded = 0, active = 0, ready = 0 } = status ?? {};
    if (finished === undefined) faults.push(`Job ${metadata?.name} hasn't ended`);
    else if (active > 0 || ready > 0) faults.push(`Job ${metadata?.name} has ended and counts ${active} active pods`);
    if (finished === "complete" && succeeded !== spec?.completions)
      faults.push(`Job ${metadata?.name} is complete with ${succeeded} of ${spec?.completions} completions`);
  }
  const finalized = pods.items.filter(
    ({ metadata, status }) =>
      metadata?.finalizers?.includes("batch.kubernetes.io/job-tracking") === true &&
      (status?.phase === "Succeeded" || status?.phase === "Failed"),
  );
  for (const { metadata } of finalized) faults.push(`${metadata?.name} has ended and is still tracked`);
  for (const { metadata, status } of sets.items) {
    const { numberReady, updatedNumberScheduled = 0 } = status!;
    const wanted = nodes.items.length;
    if (numberReady !== wanted || updatedNumberScheduled !== wanted)
      faults.push(
        `DaemonSet ${metadata?.name} wants ${wanted} pods: ${numberReady} are ready, ${updatedNumberScheduled} updated`,
      );
  }
  return faults;
}

/** Returns what isn't as the workloads want it after everything has had time to recover. */
async function unfinished(cluster: Cluster): Promise<string[]> {
  const faults: string[] = [];
  const [deployments, sets, replicaSets, pods, daemonSets, jobs] = await Promise.all([
    cluster.client.resource(Deployment).list(),
    cluster.client.resource(StatefulSet).list(),
    cluster.client.resource(ReplicaSet).list(),
    cluster.client.resource(Pod).list(),
    cluster.client.resource(DaemonSet).list(),
    cluster.client.resource(Job).list(),
  ]);
  const active = pods.items.filter(({ status }) => status?.phase !== "Failed" && status?.phase !== "Succeeded");
  for (const { kind, items } of [
    { kind: "Deployment", items: deployments.items },
    { kind: "StatefulSet", items: sets.items },
  ])
    for (const { metadata, spec, status } of items) {
      const name = metadata?.name ?? "";
      const wanted = spec?.replicas ?? 1;
      const { readyReplicas = 0, updatedReplicas = 0 } = status ?? {};
      const own = active.filter((pod) => pod.metadata?.labels?.["app"] === name).length;
      if (readyReplicas !== wanted || updatedReplicas !== wanted || own !== wanted)
        faults.push(
          `${kind} ${name} wants ${wanted} pods: ${readyReplicas} are ready, ${updatedReplicas} are updated, ${own} exist`,
        );
    }
  const owners = new Set(
    [...deployments.items, ...sets.items, ...replicaSets.items, ...daemonSets.items, ...jobs.items].map(
      ({ metadata }) => metadata!.uid!,
    ),
  );
  for (const { metadata } of [...replicaSets.items, ...pods.items])
    if (!owners.has(getControllerOwner({ metadata: metadata! })?.uid ?? ""))
      faults.push(`${metadata?.name} is an orphan`);
  return faults;
}
