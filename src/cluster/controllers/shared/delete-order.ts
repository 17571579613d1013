import type { Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { parseTime } from "../../../meta/time.js";
import { isActive, isReady, readySince } from "./pods.js";

const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const phases = ["Pending", "Unknown", "Running"];

type PodOf = DeepReadonly<Pod>;
type Comparison = (a: PodOf, b: PodOf) => number;

/**
 * Returns the pods in the order in which the scale-down of a ReplicaSet deletes them: those that serve least come first,
 * such as pods without a node, pending pods, pods that aren't ready, and pods of a low deletion cost. `related` are all
 * pods of the workload; a node with more active ones loses one first.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#scaling-a-replicaset
 */
export function inDeletionOrder(pods: readonly PodOf[], related: readonly PodOf[], nowMs: number): PodOf[] {
  const perNode = new Map<string, number>();
  for (const pod of related) {
    const node = pod.spec?.nodeName;
    if (node !== undefined && isActive(pod)) perNode.set(node, (perNode.get(node) ?? 0) + 1);
  }
  /** Compares ages on a logarithmic scale, so that small differences don't decide. Similar ages are ordered by UID. */
  const byAge =
    (timeOf: (pod: PodOf) => number | undefined): Comparison =>
    (a, b) => {
      const [first, second] = [timeOf(a), timeOf(b)];
      return first === second ? 0 : magnitude(first, nowMs) - magnitude(second, nowMs) || byUid(a, b);
    };
  return inOrder(pods, [
    ...byState,
    by(({ metadata }) => Number.parseInt(metadata?.annotations?.[deletionCost] ?? "0", 10) || 0),
    by(({ spec }) => -(perNode.get(spec?.nodeName ?? "") ?? 0)),
    byAge(readySince),
    ...byRestarts,
    byAge(createdAt),
  ]);
}

/** Returns the pods in the order in which a Job deletes them: like `inDeletionOrder`, by state and exact age alone. */
export function newestFirst(pods: readonly PodOf[]): PodOf[] {
  const byAge = (timeOf: (pod: PodOf) => number | undefined): Comparison =>
    by((pod) => -(timeOf(pod) ?? Number.MAX_SAFE_INTEGER));
  return inOrder(pods, [...byState, byAge(readySince), ...byRestarts, byAge(createdAt)]);
}

const by =
  (rank: (pod: PodOf) => number): Comparison =>
  (a, b) =>
    rank(a) - rank(b);

const byUid: Comparison = (a, b) => (a.metadata!.uid! < b.metadata!.uid! ? -1 : 1);

const byState: readonly Comparison[] = [
  by(({ spec }) => (spec?.nodeName === undefined ? 0 : 1)),
  by(({ status }) => phases.indexOf(status?.phase ?? "Pending")),
  by((pod) => (isReady(pod) ? 1 : 0)),
];

/** Pods with more restarts come first; the restarts of sidecars count if those of the containers are the same. */
const byRestarts: readonly Comparison[] = [
  by(({ status }) => -mostRestarts(status?.containerStatuses)),
  by(({ spec, status }) => {
    const isSidecar = (name: string): boolean =>
      spec?.initContainers?.some((each) => each.name === name && each.restartPolicy === "Always") === true;
    return -mostRestarts(status?.initContainerStatuses?.filter(({ name }) => isSidecar(name)));
  }),
];

function mostRestarts(statuses: readonly { readonly restartCount: number }[] = []): number {
  return Math.max(0, ...statuses.map(({ restartCount }) => restartCount));
}

function createdAt({ metadata }: PodOf): number | undefined {
  return parseTime(metadata?.creationTimestamp)?.getTime();
}

/** Returns the power of two of an age in nanoseconds; -1 for a time that isn't over or known. */
function magnitude(sinceMs: number | undefined, nowMs: number): number {
  const ageMs = sinceMs === undefined ? 0 : nowMs - sinceMs;
  return ageMs > 0 ? Math.floor(Math.log2(ageMs * 1_000_000)) : -1;
}

function inOrder(pods: readonly PodOf[], comparisons: readonly Comparison[]): PodOf[] {
  return [...pods].sort((a, b) => {
    for (const compare of comparisons) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return byUid(a, b);
  });
}
