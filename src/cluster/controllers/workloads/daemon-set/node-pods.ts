import type { DaemonSet } from "../../../../kinds/apps/v1.js";
import type { Node, Pod, Toleration } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { matchesNodeAffinity, untoleratedTaint } from "../../shared/node-matching.js";
import { podFromTemplate } from "../../shared/pods.js";

/** Label with the hash of the template from which a pod was made. */
export const hashLabel = "controller-revision-hash";
/** Label with the number of the template from which a pod was made. */
const generationLabel = "pod-template-generation";
const generationAnnotation = "deprecated.daemonset.template.generation";

/** Taints of the node's own state, which the pods of a DaemonSet tolerate. */
const nodeTaints: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];
const networkTaint: Toleration = {
  key: "node.kubernetes.io/network-unavailable",
  operator: "Exists",
  effect: "NoSchedule",
};

/**
 * Returns true for a pod of the current template of a DaemonSet: it has the hash of the template, or its number, which older
 * versions of Kubernetes went by.
 */
export function isCurrent(set: DeepReadonly<DaemonSet>, { metadata }: DeepReadonly<Pod>, hash: string): boolean {
  const { labels = {} } = metadata ?? {};
  const generation = set.metadata?.annotations?.[generationAnnotation];
  return (
    (hash !== "" && labels[hashLabel] === hash) || (generation !== undefined && labels[generationLabel] === generation)
  );
}

/** Returns a DaemonSet's pod for a node, which only that node can run. */
export function nodePod(set: DeepReadonly<DaemonSet>, node: string, hash: string): Pod {
  const { metadata, spec } = podFromTemplate(set.spec?.template, set);
  const generation = set.metadata?.annotations?.[generationAnnotation];
  const own = spec!.hostNetwork === true ? [...nodeTaints, networkTaint] : nodeTaints;
  const given = spec!.tolerations ?? [];
  const added = own.filter(({ key, effect }) => !given.some((each) => each.key === key && each.effect === effect));
  const requiredDuringSchedulingIgnoredDuringExecution = {
    nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In" as const, values: [node] }] }],
  };
  return {
    metadata: {
      ...metadata,
      labels: {
        ...metadata?.labels,
        ...(hash !== "" && { [hashLabel]: hash }),
        ...(generation !== undefined && { [generationLabel]: generation }),
      },
    },
    spec: {
      ...spec!,
      affinity: {
        ...spec!.affinity,
        nodeAffinity: { ...spec!.affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution },
      },
      tolerations: [...given, ...added],
    },
  };
}

/** Returns the node of a pod, or the one that it was created for. */
export function nodeOf({ spec }: DeepReadonly<Pod>): string | undefined {
  if (spec?.nodeName !== undefined && spec.nodeName !== "") return spec.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms[0]?.matchFields?.find(({ key }) => key === "metadata.name")?.values?.[0];
}

/** Decision about a node: should it get a pod of a DaemonSet, and may it keep one? */
export interface Placement {
  readonly shouldRun: boolean;
  readonly mayStay: boolean;
}

/** Decides about a node by its name, its labels and its taints. */
export function placementOn(set: DeepReadonly<DaemonSet>, node: DeepReadonly<Node>): Placement {
  const { metadata, spec } = podFromTemplate(set.spec?.template, set);
  const tolerations = [
    ...(spec!.tolerations ?? []),
    ...nodeTaints,
    ...(spec!.hostNetwork === true ? [networkTaint] : []),
  ];
  const pod: Pod = { ...(metadata && { metadata }), spec: { ...spec!, tolerations } };
  const wrongNode = spec!.nodeName !== undefined && spec!.nodeName !== node.metadata?.name;
  if (wrongNode || !matchesNodeAffinity(pod, node)) return { shouldRun: false, mayStay: false };
  return {
    shouldRun: untoleratedTaint(pod, node.spec?.taints, ["NoSchedule", "NoExecute"]) === undefined,
    mayStay: untoleratedTaint(pod, node.spec?.taints, ["NoExecute"]) === undefined,
  };
}
