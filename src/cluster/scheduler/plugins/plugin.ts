import { deepEqual } from "../../../internal/deep-equal.js";
import { greatest } from "../../../internal/extremes.js";
import type { Node, Pod } from "../../../kinds/core/v1.js";
import type { ResourceClaim } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
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
  /** Returns the names of the only nodes that a pod may run on; `undefined` if the rule doesn't name any. */
  onlyNodes?(pod: PodInfo): ReadonlySet<string> | undefined;
  /** Prepares the filter for a pod. Returns `undefined` if the rule doesn't concern the pod. */
  filter?(pod: PodInfo, cluster: ClusterView): PreparedFilter | undefined;
  /** True for a plugin whose `mayHelp` decides about taints. Pods that another one has rejected may fit after each change of them. */
  readonly knowsTaints?: boolean;
  /** Returns true if a pod that this plugin has rejected may fit after a change. Default: after each change of a node. */
  mayHelp?(change: ClusterChange, pod: PodInfo, cluster: ClusterView): boolean;
  /** Scores nodes for a pod, from 0 to 100. Returns `undefined` if the rule doesn't concern the pod. */
  score?(pod: PodInfo, nodes: readonly NodeInfo[], cluster: ClusterView): readonly number[] | undefined;
}

/** State of an object before and after a change: a new one has no `old`, a removed one no `now`. */
interface Replaced<T> {
  readonly now?: DeepReadonly<T> | undefined;
  readonly old?: DeepReadonly<T> | undefined;
}

/** Change of a node. */
export interface NodeChange extends Replaced<Node> {
  readonly type: "node";
}

/** Change of a pod that has a node, or is nominated for one. */
export interface PodChange extends Replaced<Pod> {
  readonly type: "pod";
}

/** A change in the cluster after which a pod may fit. */
export type ClusterChange =
  | NodeChange
  | PodChange
  | { readonly type: "volume" }
  /** A change after which a node may attach more volumes. */
  | { readonly type: "volumeLimit" }
  /** A change of devices, or of one claim. */
  | { readonly type: "device"; readonly claim?: DeepReadonly<ResourceClaim> | undefined }
  /** A change of a device class that provides extended resources. */
  | { readonly type: "deviceClass"; readonly resources: readonly string[] };

/** Returns true if a rule accepts a node since it has changed. */
export function acceptsNow(change: ClusterChange, accepts: (node: DeepReadonly<Node>) => boolean): boolean {
  if (change.type !== "node" || change.now === undefined) return false;
  return accepts(change.now) && (change.old === undefined || !accepts(change.old));
}

/** Returns true if a pod that a plugin has rejected is to be tried again after a change. */
export function isWorthRetry(
  plugin: SchedulerPlugin,
  change: ClusterChange,
  pod: PodInfo,
  cluster: ClusterView,
): boolean {
  // Like upstream, where a plugin may have missed that a tainted node was created.
  if (plugin.knowsTaints !== true && isRetainted(change)) return true;
  return plugin.mayHelp?.(change, pod, cluster) ?? change.type === "node";
}

/** Returns true for a node whose taints have changed, and for one that was uncordoned. */
function isRetainted(change: ClusterChange): boolean {
  if (change.type !== "node" || change.now === undefined || change.old === undefined) return false;
  const [before, after] = [change.old.spec, change.now.spec];
  const isUncordoned = before?.unschedulable === true && after?.unschedulable !== true;
  return isUncordoned || !deepEqual(before?.taints, after?.taints);
}

/** Returns true for a new node, and for one whose labels have changed. */
export function isRelabeled(change: ClusterChange): boolean {
  if (change.type !== "node" || change.now === undefined) return false;
  return change.old === undefined || !deepEqual(change.now.metadata?.labels, change.old.metadata?.labels);
}

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
