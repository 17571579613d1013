import type { NodeFilter, Rejection, SchedulerPlugin } from "./plugins/plugin.js";
import { bestScore } from "./plugins/plugin.js";
import type { ClusterView } from "./snapshot/cluster-view.js";
import type { NodeInfo, PodInfo } from "./snapshot/node-info.js";

/**
 * Number of nodes that fit after which the search ends, so that a pod costs the same in any cluster. It's the lower bound
 * of kube-scheduler, which searches up to half of a large cluster unless `percentageOfNodesToScore` is small.
 */
const enoughNodes = 100;

/** Result of the filters for one pod. */
export interface Filtered {
  /** Nodes that fit. */
  readonly fitting: readonly NodeInfo[];
  /** Rejections by node; only complete if no node fits. */
  readonly rejections: ReadonlyMap<NodeInfo, Rejection>;
  /** Reason for which no node fits. */
  readonly rejectsAll: string | undefined;
  /** Plugins that rejected a node. */
  readonly rejectedBy: ReadonlySet<SchedulerPlugin>;
  /** Number of nodes that were checked. */
  readonly checked: number;
}

/** Dependencies of the selection of a node. */
export interface Selection {
  readonly plugins: readonly SchedulerPlugin[];
  readonly cluster: ClusterView;
  /** Returns the node with the pods that are nominated for it; `undefined` if no pod is. */
  readonly withNominated?: (node: NodeInfo, pod: PodInfo) => NodeInfo | undefined;
}

/** Returns the function that applies all filters to a node, or the reason for which no node fits. */
export function prepareFilters(
  pod: PodInfo,
  { plugins, cluster }: Selection,
):
  | { readonly check: (node: NodeInfo) => [Rejection, SchedulerPlugin] | undefined }
  | { rejectsAll: string; plugin: SchedulerPlugin } {
  const filters: [NodeFilter, SchedulerPlugin][] = [];
  // Such a rule comes first, so that a pod of a DaemonSet costs one node instead of all.
  for (const plugin of plugins) {
    const names = plugin.onlyNodes?.(pod);
    const reasons = [`node(s) didn't satisfy plugin(s) [${plugin.name}]`];
    const elsewhere = { reasons, resolvable: false };
    if (names !== undefined) filters.push([({ name }) => (names.has(name) ? undefined : elsewhere), plugin]);
  }
  for (const plugin of plugins) {
    const filter = plugin.filter?.(pod, cluster);
    if (filter === undefined) continue;
    if (typeof filter === "object") return { rejectsAll: filter.rejectsAll, plugin };
    filters.push([filter, plugin]);
  }
  return {
    check(node) {
      for (const [filter, plugin] of filters) {
        const rejection = filter(node);
        if (rejection !== undefined) return [rejection, plugin];
      }
      return undefined;
    },
  };
}

/** Applies the filters to the nodes from a position on, until enough fit. A large cluster isn't searched completely. */
export function filterNodes(pod: PodInfo, selection: Selection, from = 0): Filtered {
  const { nodes } = selection.cluster;
  const rejections = new Map<NodeInfo, Rejection>();
  const rejectedBy = new Set<SchedulerPlugin>();
  const prepared = prepareFilters(pod, selection);
  if ("rejectsAll" in prepared) {
    rejectedBy.add(prepared.plugin);
    return { fitting: [], rejections, rejectedBy, rejectsAll: prepared.rejectsAll, checked: 0 };
  }
  const fitting: NodeInfo[] = [];
  let checked = 0;
  for (; checked < nodes.length && fitting.length < enoughNodes; checked++) {
    const node = nodes[(from + checked) % nodes.length]!;
    const crowded = selection.withNominated?.(node, pod);
    const found = (crowded && prepared.check(crowded)) ?? prepared.check(node);
    if (found === undefined) {
      fitting.push(node);
      continue;
    }
    rejections.set(node, found[0]);
    rejectedBy.add(found[1]);
  }
  return { fitting, rejections, rejectedBy, rejectsAll: undefined, checked };
}

/** Returns the node with the highest score. The choice among several is random. */
export function bestNode(
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  { plugins, cluster }: Selection,
  random: () => number,
): NodeInfo | undefined {
  if (nodes.length <= 1) return nodes[0];
  const totals = nodes.map(() => 0);
  for (const { score, weight = 1 } of plugins) {
    const scores = score?.(pod, nodes, cluster);
    if (scores === undefined) continue;
    for (let index = 0; index < totals.length; index++) totals[index]! += Math.min(bestScore, scores[index]!) * weight;
  }
  let best = 0;
  let ties = 1;
  for (let index = 1; index < totals.length; index++) {
    if (totals[index]! > totals[best]!) {
      best = index;
      ties = 1;
    } else if (totals[index] === totals[best] && random() < 1 / ++ties) best = index;
  }
  return nodes[best];
}

/** Reasons for which a pod stays without a node, in addition to the filters. */
export interface Remedies {
  /** Why no devices can be taken from other pods; `undefined` if that wasn't tried. */
  readonly devices: string | undefined;
  /** Why preemption doesn't help; `undefined` if it does. */
  readonly preemption: string | undefined;
}

/**
 * Returns the message for a pod that fits on no node. kube-scheduler looks for devices to free before it preempts pods, and
 * fails to if another rule rejects all nodes at once.
 */
export function failureMessage(
  total: number,
  { rejections, rejectsAll }: Filtered,
  { devices, preemption }: Remedies,
): string {
  const helpless = devices === undefined ? " not found" : ` ${devices}, preemption: ${preemption}`;
  const text = rejectsAll ?? histogram([...rejections.values()].flatMap(({ reasons }) => reasons));
  return `0/${total} nodes are available: ${text}.${preemption === undefined ? "" : helpless}`;
}

/** Returns how often each reason occurs, such as `1 Insufficient cpu, 2 Too many pods`. */
export function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ");
}
