import { greatest, least } from "../../../internal/extremes.js";
import type { Pod, PodAffinityTerm } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { matchesLabelSelector } from "../../../objects/label-selectors.js";
import type { ClusterView } from "../snapshot/cluster-view.js";
import type { NodeInfo } from "../snapshot/node-info.js";
import { bestScore, type NodeChange, type Rejection, type SchedulerPlugin } from "./plugin.js";

const unwanted: Rejection = {
  reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"],
  resolvable: true,
};
const apart: Rejection = { reasons: ["node(s) didn't match pod affinity rules"], resolvable: false };
const together: Rejection = { reasons: ["node(s) didn't match pod anti-affinity rules"], resolvable: true };

type Term = DeepReadonly<PodAffinityTerm>;
/** Numbers of pods, or weights, by the label and the value of a topology. */
type Topologies = Map<string, number>;

/** Places pods together with, or apart from, other pods. */
export const interPodAffinity: SchedulerPlugin = {
  name: "InterPodAffinity",
  weight: 2,
  filter({ pod }, cluster) {
    const { wanted, avoided } = requiredTerms(pod);
    const forbidden = existingAntiAffinity(pod, cluster);
    if (wanted.length === 0 && avoided.length === 0 && forbidden.size === 0) return undefined;
    const attracted: Topologies = new Map();
    const repelled: Topologies = new Map();
    if (wanted.length > 0 || avoided.length > 0) {
      for (const info of cluster.nodes) {
        for (const { pod: other } of info.pods.values()) {
          if (wanted.length > 0 && wanted.every((term) => selects(term, pod, other, cluster)))
            for (const term of wanted) count(attracted, term.topologyKey, info);
          for (const term of avoided) if (selects(term, pod, other, cluster)) count(repelled, term.topologyKey, info);
        }
      }
    }
    // The first pod of a group with affinity to itself may run anywhere.
    const isFirst = attracted.size === 0 && wanted.every((term) => selects(term, pod, pod, cluster));
    return ({ labels }) => {
      for (const { topologyKey } of wanted) {
        const value = labels[topologyKey];
        if (value === undefined || (!isFirst && !attracted.has(`${topologyKey}=${value}`))) return apart;
      }
      for (const { topologyKey } of avoided)
        if (labels[topologyKey] !== undefined && repelled.has(`${topologyKey}=${labels[topologyKey]}`)) return together;
      if (forbidden.size > 0)
        for (const [key, value] of Object.entries(labels)) if (forbidden.has(`${key}=${value}`)) return unwanted;
      return undefined;
    };
  },
  mayHelp(change, { pod }, cluster) {
    const { wanted, avoided } = requiredTerms(pod);
    if (change.type === "node") return movesTopology(change, wanted, avoided);
    if (change.type !== "pod") return false;
    const { now, old } = change;
    // Like upstream, a pod has to match all terms, also those of an anti-affinity.
    const matches = (terms: readonly Term[], of: DeepReadonly<Pod>, other: DeepReadonly<Pod> | undefined): boolean =>
      other !== undefined && terms.length > 0 && terms.every((term) => selects(term, of, other, cluster));
    if (matches(wanted, pod, now) && !matches(wanted, pod, old)) return true;
    if (matches(avoided, pod, old) && !matches(avoided, pod, now)) return true;
    return now === undefined && old !== undefined && matches(requiredTerms(old).avoided, old, pod);
  },
  score({ pod }, nodes, cluster) {
    const weights: Topologies = new Map();
    const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
    const preferred = [
      ...(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((each) => ({
        ...each,
        weight: -each.weight,
      })),
    ];
    const sources = preferred.length > 0 ? cluster.nodes : cluster.nodesWithAffinity();
    for (const info of sources) {
      for (const { pod: other, hasAffinity } of info.pods.values()) {
        for (const { podAffinityTerm: term, weight } of preferred)
          if (selects(term, pod, other, cluster)) count(weights, term.topologyKey, info, weight);
        if (hasAffinity) countTermsOf(other, { pod, info, weights, cluster });
      }
    }
    if (weights.size === 0) return undefined;
    const sums = nodes.map(({ labels }) =>
      Object.entries(labels).reduce((sum, [key, value]) => sum + (weights.get(`${key}=${value}`) ?? 0), 0),
    );
    const [lowest, highest] = [least(sums), greatest(sums)];
    if (lowest === highest) return sums.map(() => 0);
    return sums.map((sum) => Math.floor((bestScore * (sum - lowest)) / (highest - lowest)));
  },
};

/** Counts the terms of an existing pod that select the pod to schedule. A required affinity counts 1. */
function countTermsOf(
  other: DeepReadonly<Pod>,
  {
    pod,
    info,
    weights,
    cluster,
  }: { pod: DeepReadonly<Pod>; info: NodeInfo; weights: Topologies; cluster: ClusterView },
): void {
  const { podAffinity, podAntiAffinity } = other.spec?.affinity ?? {};
  const add = (term: Term, weight: number): void => {
    if (selects(term, other, pod, cluster)) count(weights, term.topologyKey, info, weight);
  };
  for (const term of podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) add(term, 1);
  for (const { podAffinityTerm, weight } of podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
    add(podAffinityTerm, weight);
  for (const { podAffinityTerm, weight } of podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
    add(podAffinityTerm, -weight);
}

/** Returns the topologies in which existing pods don't want the pod. */
function existingAntiAffinity(pod: DeepReadonly<Pod>, cluster: ClusterView): Topologies {
  const forbidden: Topologies = new Map();
  for (const info of cluster.nodesWithAffinity()) {
    for (const { pod: other, hasAntiAffinity } of info.pods.values()) {
      if (!hasAntiAffinity) continue;
      for (const term of other.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
        if (selects(term, other, pod, cluster)) count(forbidden, term.topologyKey, info);
    }
  }
  return forbidden;
}

/** Returns the terms that the node of a pod must meet. */
function requiredTerms({ spec }: DeepReadonly<Pod>): { wanted: readonly Term[]; avoided: readonly Term[] } {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return {
    wanted: podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    avoided: podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
  };
}

/** Returns true if a node joins a topology with wanted pods, or leaves one with avoided pods. */
function movesTopology({ now, old }: NodeChange, wanted: readonly Term[], avoided: readonly Term[]): boolean {
  if (now === undefined) return false;
  const [before, after] = [old?.metadata?.labels ?? {}, now.metadata?.labels ?? {}];
  const isMoved = ({ topologyKey: key }: Term): boolean => before[key] !== after[key];
  return (
    wanted.some((term) => after[term.topologyKey] !== undefined && isMoved(term)) ||
    avoided.some((term) => old === undefined || (before[term.topologyKey] !== undefined && isMoved(term)))
  );
}

function count(topologies: Topologies, key: string, { labels }: NodeInfo, by = 1): void {
  const value = labels[key];
  if (value === undefined) return;
  const topology = `${key}=${value}`;
  topologies.set(topology, (topologies.get(topology) ?? 0) + by);
}

/**
 * Returns true if a term of `pod` selects `other`. The server has merged `matchLabelKeys` into the selector.
 */
function selects(
  { labelSelector, namespaces = [], namespaceSelector }: Term,
  pod: DeepReadonly<Pod>,
  other: DeepReadonly<Pod>,
  cluster: ClusterView,
): boolean {
  const namespace = other.metadata!.namespace!;
  const isNear =
    namespaces.length === 0 && namespaceSelector === undefined
      ? namespace === pod.metadata!.namespace
      : namespaces.includes(namespace) ||
        (namespaceSelector !== undefined &&
          matchesLabelSelector(namespaceSelector, cluster.namespaceLabels(namespace) ?? {}));
  return isNear && matchesLabelSelector(labelSelector, other.metadata?.labels);
}
