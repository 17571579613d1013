import { deepEqual } from "../../../internal/deep-equal.js";
import { least as smallest } from "../../../internal/extremes.js";
import type { Node, Pod, TopologySpreadConstraint } from "../../../kinds/core/v1.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { matchesLabelSelector } from "../../../objects/label-selectors.js";
import { matchesNodeAffinity, untoleratedTaint } from "../../controllers/shared/node-matching.js";
import type { NodeInfo, PodInfo } from "../snapshot/node-info.js";
import { bestScore, type NodeChange, type Rejection, type SchedulerPlugin } from "./plugin.js";

const hostname = "kubernetes.io/hostname";
const reason = "node(s) didn't match pod topology spread constraints";
const skewed: Rejection = { reasons: [reason], resolvable: true };
const unlabeled: Rejection = { reasons: [`${reason} (missing required label)`], resolvable: false };

type Constraint = DeepReadonly<TopologySpreadConstraint>;

/** Spreads pods that match a selector over the values of a node label. */
export const podTopologySpread: SchedulerPlugin = {
  name: "PodTopologySpread",
  knowsTaints: true,
  weight: 2,
  filter({ pod }, { nodes }) {
    const constraints = constraintsOf(pod, "DoNotSchedule");
    if (constraints.length === 0) return undefined;
    const prepared = constraints.map((constraint) => prepare(constraint, pod, constraints, nodes));
    return ({ labels }) => {
      for (const { key, counts, least, selfMatch, maxSkew } of prepared) {
        const value = labels[key];
        if (value === undefined) return unlabeled;
        if ((counts.get(value) ?? 0) + selfMatch - least > maxSkew) return skewed;
      }
      return undefined;
    };
  },
  mayHelp(change, { pod }) {
    const constraints = constraintsOf(pod, "DoNotSchedule");
    if (change.type === "node") return changesDomains(change, constraints);
    if (change.type !== "pod") return false;
    const isCounted = (constraint: Constraint, other: DeepReadonly<Pod> | undefined): boolean =>
      other?.metadata?.namespace === pod.metadata?.namespace &&
      matchesLabelSelector(selectorOf(constraint, pod), other?.metadata?.labels);
    return constraints.some((each) => isCounted(each, change.now) !== isCounted(each, change.old));
  },
  score(info, nodes, cluster) {
    const constraints = constraintsOf(info.pod, "ScheduleAnyway");
    const all = (info.pod.spec?.topologySpreadConstraints ?? []).length;
    if (constraints.length > 0) return scoreConstraints(info.pod, constraints, nodes, cluster.nodes);
    // Without constraints of its own, a pod is spread away from its controller's other pods.
    return all > 0 || info.owner === undefined ? undefined : scoreByOwner(info, info.owner, nodes);
  },
};

function constraintsOf({ spec }: DeepReadonly<Pod>, action: Constraint["whenUnsatisfiable"]): Constraint[] {
  return (spec?.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action);
}

/** Returns true if a node that the constraints count appears, disappears or moves to another domain. */
function changesDomains({ now, old }: NodeChange, constraints: readonly Constraint[]): boolean {
  const hasLabels = (node: DeepReadonly<Node>): boolean =>
    constraints.every(({ topologyKey }) => node.metadata?.labels?.[topologyKey] !== undefined);
  if (now === undefined || old === undefined) return hasLabels((now ?? old)!);
  if (hasLabels(now) !== hasLabels(old)) return true;
  const isMoved = ({ topologyKey: key }: Constraint): boolean =>
    now.metadata?.labels?.[key] !== old.metadata?.labels?.[key];
  return hasLabels(now) && (constraints.some(isMoved) || !deepEqual(now.spec?.taints, old.spec?.taints));
}

/** Returns the selector of a constraint with the labels of the pod that it names. */
function selectorOf(
  { labelSelector, matchLabelKeys = [] }: Constraint,
  { metadata }: DeepReadonly<Pod>,
): DeepReadonly<LabelSelector> | undefined {
  const own = metadata?.labels ?? {};
  const added = matchLabelKeys
    .filter((key) => own[key] !== undefined)
    .map((key) => ({ key, operator: "In", values: [own[key]!] }));
  return labelSelector && { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...added] };
}

/** Returns a test for the pods that a constraint counts. */
function counted(constraint: Constraint, pod: DeepReadonly<Pod>) {
  const { metadata } = pod;
  const selector = selectorOf(constraint, pod);
  return (other: DeepReadonly<Pod>): boolean =>
    other.metadata?.namespace === metadata?.namespace &&
    other.metadata?.deletionTimestamp === undefined &&
    matchesLabelSelector(selector, other.metadata?.labels);
}

/** Returns true if the pods of a node count for a constraint. */
function isIncluded(constraint: Constraint, pod: DeepReadonly<Pod>, { node }: NodeInfo): boolean {
  if ((constraint.nodeAffinityPolicy ?? "Honor") === "Honor" && !matchesNodeAffinity(pod, node)) return false;
  if ((constraint.nodeTaintsPolicy ?? "Ignore") === "Ignore") return true;
  return untoleratedTaint(pod, node.spec?.taints, ["NoSchedule", "NoExecute"]) === undefined;
}

function prepare(
  constraint: Constraint,
  pod: DeepReadonly<Pod>,
  all: readonly Constraint[],
  nodes: readonly NodeInfo[],
) {
  const { topologyKey: key, maxSkew, minDomains = 1 } = constraint;
  const matches = counted(constraint, pod);
  const counts = new Map<string, number>();
  for (const info of nodes) {
    // A node counts only if it has the labels of all constraints.
    if (!all.every(({ topologyKey }) => info.labels[topologyKey] !== undefined)) continue;
    if (!isIncluded(constraint, pod, info)) continue;
    const value = info.labels[key]!;
    counts.set(value, (counts.get(value) ?? 0) + countPods(info, matches));
  }
  const least = counts.size < minDomains ? 0 : smallest(counts.values());
  return { key, maxSkew, counts, least: Number.isFinite(least) ? least : 0, selfMatch: matches(pod) ? 1 : 0 };
}

function countPods({ pods }: NodeInfo, matches: (pod: DeepReadonly<Pod>) => boolean): number {
  let count = 0;
  for (const { pod } of pods.values()) if (matches(pod)) count++;
  return count;
}

function scoreConstraints(
  pod: DeepReadonly<Pod>,
  constraints: readonly Constraint[],
  nodes: readonly NodeInfo[],
  all: readonly NodeInfo[],
): number[] {
  const hasLabels = ({ labels }: NodeInfo): boolean =>
    constraints.every(({ topologyKey }) => labels[topologyKey] !== undefined);
  const eligible = nodes.filter(hasLabels);
  const parts = constraints.map((constraint) => {
    const { topologyKey: key, maxSkew } = constraint;
    const matches = counted(constraint, pod);
    const counts = new Map<string, number>();
    if (key !== hostname) {
      for (const info of eligible) counts.set(info.labels[key]!, 0);
      for (const info of all) {
        const value = info.labels[key];
        if (value === undefined || !counts.has(value) || !isIncluded(constraint, pod, info)) continue;
        counts.set(value, counts.get(value)! + countPods(info, matches));
      }
    }
    const weight = Math.log((key === hostname ? eligible.length : counts.size) + 2);
    return (info: NodeInfo): number => {
      const count = key === hostname ? countPods(info, matches) : (counts.get(info.labels[key]!) ?? 0);
      return count * weight + (maxSkew - 1);
    };
  });
  const raw = nodes.map((info) =>
    hasLabels(info) ? Math.round(parts.reduce((sum, part) => sum + part(info), 0)) : undefined,
  );
  return invert(raw);
}

function scoreByOwner({ pod }: PodInfo, owner: string, nodes: readonly NodeInfo[]): number[] | undefined {
  const zones = new Map<string, number>();
  for (const { labels, owners } of nodes) {
    const zone = labels["topology.kubernetes.io/zone"];
    if (zone !== undefined) zones.set(zone, (zones.get(zone) ?? 0) + (owners.get(owner) ?? 0));
  }
  if (pod.metadata?.labels === undefined) return undefined;
  const raw = nodes.map(({ labels, owners }) => {
    const zone = labels["topology.kubernetes.io/zone"];
    const inZone = zone === undefined ? 0 : zones.get(zone)! * Math.log(zones.size + 2) + 4;
    return Math.round((owners.get(owner) ?? 0) * Math.log(nodes.length + 2) + 2 + inZone);
  });
  return invert(raw);
}

/** Scales numbers so that the lowest gives the best score. Nodes without a number get 0. */
function invert(raw: readonly (number | undefined)[]): number[] {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = 0;
  for (const value of raw) {
    if (value === undefined) continue;
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  }
  return raw.map((value) => {
    if (value === undefined) return 0;
    return highest === 0 ? bestScore : Math.floor((bestScore * (highest + lowest - value)) / highest);
  });
}
