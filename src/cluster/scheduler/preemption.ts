import { least } from "../../internal/extremes.js";
import type { Pod } from "../../kinds/core/v1.js";
import type { PodDisruptionBudget } from "../../kinds/policy/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { parseTime } from "../../meta/time.js";
import { matchesLabelSelector } from "../../objects/label-selectors.js";
import { type Filtered, histogram, prepareFilters, type Selection } from "./select-node.js";
import type { ClusterView } from "./snapshot/cluster-view.js";
import type { NodeInfo, PodInfo } from "./snapshot/node-info.js";

/** Pods to remove from a node so that a pod of a higher priority fits. */
export interface PreemptionPlan {
  readonly node: NodeInfo;
  readonly victims: readonly PodInfo[];
}

interface Candidate extends PreemptionPlan {
  /** Number of victims whose removal violates a disruption budget. */
  readonly violations: number;
}

const noVictims = "No preemption victims found for incoming pod";
const notHelpful = "Preemption is not helpful for scheduling";

/** Plans the preemption for a pod that fits nowhere, or returns the reason for which it doesn't help. */
export function planPreemption(
  pod: PodInfo,
  filtered: Filtered,
  selection: Selection,
  budgets: readonly DeepReadonly<PodDisruptionBudget>[],
): PreemptionPlan | string {
  const { nodes } = selection.cluster;
  if (pod.pod.spec?.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const nominated = nodes.find(({ name }) => name === pod.pod.status?.nominatedNodeName);
  const isVictim = ({ pod: other, priority }: PodInfo): boolean => priority < pod.priority && isPreempted(other);
  // Waiting for victims doesn't help on a node that the pod doesn't fit on anyway.
  const mayFit = nominated !== undefined && filtered.rejections.get(nominated)?.resolvable !== false;
  if (mayFit && [...nominated.pods.values()].some(isVictim))
    return "not eligible due to a terminating pod on the nominated node.";
  const reasons: string[] = [];
  const candidates: Candidate[] = [];
  for (const node of nodes) {
    if (filtered.rejections.get(node)?.resolvable !== true) {
      reasons.push(notHelpful);
      continue;
    }
    const found = victimsOn(node, pod, selection, budgets);
    if (typeof found === "object") candidates.push(found);
    else reasons.push(found);
  }
  if (candidates.length > 0) return candidates.reduce((best, other) => (isBetter(other, best) ? other : best));
  return `0/${nodes.length} nodes are available: ${histogram(reasons)}.`;
}

function victimsOn(
  node: NodeInfo,
  pod: PodInfo,
  selection: Selection,
  budgets: readonly DeepReadonly<PodDisruptionBudget>[],
): Candidate | string {
  const lower = [...node.pods.values()].filter(({ priority }) => priority < pod.priority);
  if (lower.length === 0) return noVictims;
  const trial = node.clone();
  for (const { uid } of lower) trial.remove(uid);
  const fits = (): boolean => rejectionOn(trial, node, pod, selection) === undefined;
  const rejection = rejectionOn(trial, node, pod, selection);
  if (rejection !== undefined) return rejection;
  const important = lower.sort((a, b) => b.priority - a.priority || startedAt(a) - startedAt(b));
  const violating = violatingPods(important, budgets);
  const victims: PodInfo[] = [];
  let violations = 0;
  // Keep as many pods as possible, those that a budget protects first.
  for (const isViolating of [true, false]) {
    for (const info of important.filter(({ uid }) => violating.has(uid) === isViolating)) {
      trial.add(info);
      if (fits()) continue;
      trial.remove(info.uid);
      victims.push(info);
      if (isViolating) violations++;
    }
  }
  victims.sort((a, b) => b.priority - a.priority || startedAt(a) - startedAt(b));
  return { node, victims, violations };
}

/** Returns the first reason for which a pod doesn't fit on `trial`, which takes the place of `node`. */
function rejectionOn(
  trial: NodeInfo,
  node: NodeInfo,
  pod: PodInfo,
  { plugins, cluster, withNominated }: Selection,
): string | undefined {
  const replace = (each: NodeInfo): NodeInfo => (each === node ? trial : each);
  const view: ClusterView = {
    nodes: cluster.nodes.map(replace),
    nodesWithAffinity: () => Array.from(cluster.nodesWithAffinity(), replace),
    namespaceLabels: (name) => cluster.namespaceLabels(name),
  };
  const prepared = prepareFilters(pod, { plugins, cluster: view });
  if ("rejectsAll" in prepared) return prepared.rejectsAll;
  const crowded = withNominated?.(trial, pod);
  const found = (crowded && prepared.check(crowded)) ?? prepared.check(trial);
  return found?.[0].reasons[0];
}

/** Returns the UIDs of the pods whose removal violates a budget, if all of them are removed in this order. */
function violatingPods(
  pods: readonly PodInfo[],
  budgets: readonly DeepReadonly<PodDisruptionBudget>[],
): ReadonlySet<string> {
  const allowed = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]));
  const violating = new Set<string>();
  for (const { pod, uid } of pods) {
    for (const budget of budgets) {
      const { metadata, spec, status } = budget;
      if (metadata?.namespace !== pod.metadata!.namespace || pod.metadata?.labels === undefined) continue;
      if (!matchesLabelSelector(spec?.selector, pod.metadata.labels)) continue;
      if (status?.disruptedPods?.[pod.metadata.name!] !== undefined) continue;
      const left = allowed.get(budget)! - 1;
      allowed.set(budget, left);
      if (left < 0) violating.add(uid);
    }
  }
  return violating;
}

/** Returns true for a pod that ends in favour of another one. */
function isPreempted({ metadata, status }: DeepReadonly<Pod>): boolean {
  const disruption = status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  const isMarked = disruption?.status === "True" && disruption.reason === "PreemptionByScheduler";
  return metadata?.deletionTimestamp !== undefined && isMarked;
}

function startedAt({ pod }: PodInfo): number {
  return parseTime(pod.status?.startTime)?.getTime() ?? Number.POSITIVE_INFINITY;
}

/** Returns true if `a` does less damage than `b`. */
function isBetter(a: Candidate, b: Candidate): boolean {
  const sum = ({ victims }: Candidate): number =>
    victims.reduce((total, { priority }) => total + priority + 2 ** 31, 0);
  // The youngest of the most important victims: the later it started, the less work is lost.
  const latest = ({ victims }: Candidate): number =>
    least(victims.filter(({ priority }) => priority === victims[0]?.priority).map(startedAt));
  const order = [
    a.violations - b.violations,
    (a.victims[0]?.priority ?? 0) - (b.victims[0]?.priority ?? 0),
    sum(a) - sum(b),
    a.victims.length - b.victims.length,
    latest(b) - latest(a),
  ];
  return (order.find((difference) => difference !== 0 && !Number.isNaN(difference)) ?? 0) < 0;
}
