import type { Pod, PodSpec, Toleration } from "../../../../kinds/core/v1.js";
import { quantityToNumber } from "../../../../meta/quantity.js";
import type { StrategyContext } from "../../strategy.js";
import { syncAppArmor } from "./app-armor.js";

/** What a server makes of a new pod, and the admission steps that are on by default. */
export function preparePod(pod: Pod, context: StrategyContext): void {
  const spec = (pod.spec ??= { containers: [] });
  spec.tolerations = withNodeTolerations(spec.tolerations ?? []);
  // The Priority admission step, as far as it needs no PriorityClass.
  if ((spec.priorityClassName ?? "") === "") {
    spec.priority ??= 0;
    spec.preemptionPolicy ??= "PreemptLowerPriority";
  }
  mergeLabelKeys(pod);
  syncAppArmor(pod, context.warn);
  pod.status = { phase: "Pending", qosClass: qosClassOf(spec) };
  if ((spec.schedulingGates ?? []).length === 0) return;
  const since = new Date(context.nowMs).toISOString().replace(/\.\d+/, "");
  const message = "Scheduling is blocked due to non-empty scheduling gates";
  pod.status.conditions = [
    { type: "PodScheduled", status: "False", lastTransitionTime: since, reason: "SchedulingGated", message },
  ];
}

interface LabelledTerm {
  labelSelector?: { matchExpressions?: { key: string; operator: string; values?: string[] }[] };
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
}

/** Terms that name labels of the pod itself get them as requirements of their selector. */
function mergeLabelKeys({ metadata, spec }: Pod): void {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const terms: LabelledTerm[] = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
  ]);
  for (const term of [...terms, ...(spec?.topologySpreadConstraints ?? [])] as LabelledTerm[]) {
    if (term.labelSelector === undefined) continue;
    for (const [keys, operator] of [
      [term.matchLabelKeys, "In"],
      [term.mismatchLabelKeys, "NotIn"],
    ] as const) {
      for (const key of keys ?? []) {
        const value = metadata?.labels?.[key];
        if (value !== undefined) (term.labelSelector.matchExpressions ??= []).push({ key, operator, values: [value] });
      }
    }
  }
}

/** The admission step for tolerations also looks at changed pods. */
export function preparePodUpdate({ spec }: Pod): void {
  if (spec !== undefined) spec.tolerations = withNodeTolerations(spec.tolerations ?? []);
}

/** Five minutes for pods on nodes that are not ready or out of reach, unless the pod says otherwise. */
export function withNodeTolerations(tolerations: Toleration[]): Toleration[] {
  const missing = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].filter(
    (key) =>
      !tolerations.some(
        (each) =>
          ((each.key ?? "") === "" || each.key === key) && ((each.effect ?? "") === "" || each.effect === "NoExecute"),
      ),
  );
  return [
    ...tolerations,
    ...missing.map((key): Toleration => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 })),
  ];
}

/**
 * Quality of service of a pod.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
 */
export function qosClassOf(spec: PodSpec): "BestEffort" | "Burstable" | "Guaranteed" {
  const holders =
    spec.resources?.limits !== undefined || spec.resources?.requests !== undefined
      ? [spec]
      : [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  let any = false;
  let guaranteed = true;
  for (const { resources } of holders) {
    for (const name of ["cpu", "memory"]) {
      const [request, limit] = [positive(resources?.requests?.[name]), positive(resources?.limits?.[name])];
      if (request !== undefined || limit !== undefined) any = true;
      if (limit === undefined || (request !== undefined && request !== limit)) guaranteed = false;
    }
  }
  return !any ? "BestEffort" : guaranteed ? "Guaranteed" : "Burstable";
}

function positive(quantity: string | undefined): number | undefined {
  const value = quantity === undefined ? 0 : quantityToNumber(quantity);
  return value > 0 ? value : undefined;
}

/** Seconds a pod gets to end: what was asked for, else what it says, and none if no kubelet runs it. */
export function podGracePeriodSeconds(pod: Pod, asked: number | undefined): number {
  const period = asked ?? pod.spec?.terminationGracePeriodSeconds ?? 0;
  const { phase } = pod.status ?? {};
  if ((pod.spec?.nodeName ?? "") === "" || phase === "Failed" || phase === "Succeeded") return 0;
  return Math.max(period < 0 ? 1 : period, 0);
}
