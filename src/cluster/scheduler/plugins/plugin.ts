import { greatest } from "../../../internal/extremes.js";
import type { ClusterView } from "../snapshot/cluster-view.js";
import type { NodeInfo, PodInfo } from "../snapshot/node-info.js";

/** Reasons for which a pod can't run on a node. */
export interface Rejection {
  readonly reasons: readonly string[];
  /** True if the removal of pods from the node might help. */
  readonly resolvable: boolean;
}

/** Decides whether a pod can run on a node; `undefined` if it can. */
export type NodeFilter = (node: NodeInfo) => Rejection | undefined;

/** Result of the preparation of a filter: a function for each node, or a reason for which no node fits. */
export type PreparedFilter = NodeFilter | { readonly rejectsAll: string };

/** A rule of the scheduler, as pure functions. */
export interface SchedulerPlugin {
  /** Name, as in kube-scheduler. */
  readonly name: string;
  /** Weight of the scores. Default 1. */
  readonly weight?: number;
  /** Kinds of changes after which a pod that this plugin has rejected may fit. Default: changes of nodes. */
  readonly retryAfter?: readonly ClusterChange[];
  /** Returns the names of the only nodes that a pod may run on; `undefined` if the rule doesn't name any. */
  onlyNodes?(pod: PodInfo): ReadonlySet<string> | undefined;
  /** Prepares the filter for a pod. Returns `undefined` if the rule doesn't concern the pod. */
  filter?(pod: PodInfo, cluster: ClusterView): PreparedFilter | undefined;
  /** Scores nodes for a pod, from 0 to 100. Returns `undefined` if the rule doesn't concern the pod. */
  score?(pod: PodInfo, nodes: readonly NodeInfo[], cluster: ClusterView): readonly number[] | undefined;
}

/** Kind of a change in the cluster after which a pod may fit. */
export type ClusterChange = "node" | "podAdded" | "podRemoved" | "volume" | "device" | "deviceClass";

/** Score of the best node. */
export const bestScore = 100;

/** Scales scores so that the highest is 100; with `reverse`, the lowest is the best. */
export function normalize(scores: readonly number[], reverse = false): number[] {
  const highest = Math.max(0, greatest(scores));
  if (highest === 0) return scores.map(() => (reverse ? bestScore : 0));
  return scores.map((score) => {
    const scaled = Math.floor((bestScore * score) / highest);
    return reverse ? bestScore - scaled : scaled;
  });
}
