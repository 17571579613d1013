import type { Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { isReady, readySince } from "./pods.js";

const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const phases = ["Pending", "Unknown", "Running"];

type Rank = (pod: DeepReadonly<Pod>) => number;

/**
 * Returns the pods in the order in which a scale-down deletes them: those that serve least come first, such as pods
 * without a node, pending pods, pods that aren't ready, and pods of a low deletion cost. `related` are all pods of the
 * workload; a node with more of them loses one first.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#scaling-a-replicaset
 */
export function inDeletionOrder(
  pods: readonly DeepReadonly<Pod>[],
  related: readonly DeepReadonly<Pod>[],
  nowMs: number,
): DeepReadonly<Pod>[] {
  const perNode = new Map<string, number>();
  for (const { spec } of related) {
    if (spec?.nodeName !== undefined) perNode.set(spec.nodeName, (perNode.get(spec.nodeName) ?? 0) + 1);
  }
  // Ages are compared on a logarithmic scale, so that small differences don't decide.
  const ageOf = (sinceMs: number | undefined): number =>
    sinceMs === undefined ? -1 : Math.floor(Math.log2(Math.max(1, (nowMs - sinceMs) * 1_000_000)));
  const ranks: Rank[] = [
    ({ spec }) => (spec?.nodeName === undefined ? 0 : 1),
    ({ status }) => phases.indexOf(status?.phase ?? "Pending"),
    (pod) => (isReady(pod) ? 1 : 0),
    ({ metadata }) => Number.parseInt(metadata?.annotations?.[deletionCost] ?? "0", 10) || 0,
    ({ spec }) => -(perNode.get(spec?.nodeName ?? "") ?? 0),
    (pod) => (isReady(pod) ? ageOf(readySince(pod)) : 0),
    ({ status }) => -Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount)),
    ({ metadata }) => ageOf(Date.parse(metadata?.creationTimestamp ?? "")),
  ];
  return pods
    .map((pod) => ({ pod, rank: ranks.map((rank) => rank(pod)) }))
    .sort((a, b) => compare(a.rank, b.rank) || (a.pod.metadata!.uid! < b.pod.metadata!.uid! ? -1 : 1))
    .map(({ pod }) => pod);
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) if (value !== b[index]) return value - b[index]!;
  return 0;
}
