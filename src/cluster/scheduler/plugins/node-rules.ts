import type { Node, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { matchesNodeAffinity, matchesNodeTerm, untoleratedTaint } from "../../controllers/shared/node-matching.js";
import { mayRestartAll } from "../../controllers/shared/pods.js";
import { acceptsNow, normalize, type Rejection, type SchedulerPlugin } from "./plugin.js";

const refuse = (reason: string): Rejection => ({ reasons: [reason], resolvable: false });
const unschedulable = refuse("node(s) were unschedulable");
const tainted = refuse("node(s) had untolerated taint(s)");
const mismatched = refuse("node(s) didn't match Pod's node affinity/selector");

/** Rejects nodes that are cordoned. */
export const nodeUnschedulable: SchedulerPlugin = {
  name: "NodeUnschedulable",
  knowsTaints: true,
  filter({ pod }) {
    const taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" as const };
    if (untoleratedTaint(pod, [taint], ["NoSchedule"]) === undefined) return undefined;
    return ({ node }) => (node.spec?.unschedulable === true ? unschedulable : undefined);
  },
  mayHelp: (change) => acceptsNow(change, ({ spec }) => spec?.unschedulable !== true),
};

/** Rejects nodes with taints that a pod doesn't tolerate, and prefers those without `PreferNoSchedule` ones. */
export const taintToleration: SchedulerPlugin = {
  name: "TaintToleration",
  knowsTaints: true,
  weight: 3,
  filter:
    ({ pod }) =>
    ({ node }) =>
      isTolerated(pod, node) ? undefined : tainted,
  mayHelp: (change, { pod }) => acceptsNow(change, (node) => isTolerated(pod, node)),
  score({ pod }, nodes) {
    if (nodes.every(({ node }) => node.spec?.taints === undefined)) return undefined;
    const counts = nodes.map(
      ({ node }) =>
        (node.spec?.taints ?? []).filter((taint) => untoleratedTaint(pod, [taint], ["PreferNoSchedule"]) !== undefined)
          .length,
    );
    return normalize(counts, true);
  },
};

/** Rejects nodes that don't match a pod's node selector or required affinity, and prefers those of its preferences. */
export const nodeAffinity: SchedulerPlugin = {
  name: "NodeAffinity",
  weight: 2,
  onlyNodes({ pod }) {
    const names = namedNodes(pod);
    return names?.size === 0 ? undefined : names;
  },
  filter({ pod }) {
    const { nodeSelector, affinity } = pod.spec ?? {};
    const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    if (nodeSelector === undefined && required === undefined) return undefined;
    if (namedNodes(pod)?.size === 0) return { rejectsAll: "pod affinity terms conflict" };
    return ({ node }) => (matchesNodeAffinity(pod, node) ? undefined : mismatched);
  },
  mayHelp: (change, { pod }) => acceptsNow(change, (node) => matchesNodeAffinity(pod, node)),
  score({ pod }, nodes) {
    const preferences = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    if (preferences.length === 0) return undefined;
    const sums = nodes.map(({ node }) =>
      preferences
        .filter(({ preference }) => matchesNodeTerm(preference, node))
        .reduce((sum, { weight }) => sum + weight, 0),
    );
    return normalize(sums);
  },
};

/** Returns the only nodes that the affinity of a pod names; `undefined` if a term allows any node. */
function namedNodes({ spec }: DeepReadonly<Pod>): ReadonlySet<string> | undefined {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of required.nodeSelectorTerms) {
    const lists = matchFields
      .filter(({ key, operator }) => key === "metadata.name" && operator === "In")
      .map(({ values = [] }) => values);
    if (lists.length === 0) return undefined;
    for (const name of lists[0]!) if (lists.every((list) => list.includes(name))) names.add(name);
  }
  return names;
}

const lacking = refuse("node(s) didn't match Pod's required features");

/** Rejects nodes that don't declare a feature that a pod needs. */
export const nodeDeclaredFeatures: SchedulerPlugin = {
  name: "NodeDeclaredFeatures",
  filter({ pod }) {
    if (!mayRestartAll(pod.spec!)) return undefined;
    return ({ node }) => (canRestartAll(node) ? undefined : lacking);
  },
  mayHelp: (change) => acceptsNow(change, canRestartAll),
};

function isTolerated(pod: DeepReadonly<Pod>, { spec }: DeepReadonly<Node>): boolean {
  return untoleratedTaint(pod, spec?.taints, ["NoSchedule", "NoExecute"]) === undefined;
}

function canRestartAll({ status }: DeepReadonly<Node>): boolean {
  return status?.declaredFeatures?.includes("RestartAllContainersOnContainerExits") === true;
}
