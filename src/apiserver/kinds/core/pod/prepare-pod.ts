import type { Pod } from "../../../../kinds/core/v1.js";
import type { StrategyContext } from "../../shared/strategy-context.js";
import { syncAppArmor } from "./app-armor.js";
import { dropDisabled } from "./drop-disabled.js";
import { podResourceDefaults } from "./pod-resources.js";
import { qosClassOf } from "./qos-class.js";

/** Prepares a new pod. */
export function preparePod(pod: Pod, context: StrategyContext): void {
  dropDisabled(pod.spec);
  const spec = (pod.spec ??= { containers: [] });
  // Otherwise the Priority plugin looks up the class.
  if ((spec.priorityClassName ?? "") === "") {
    spec.priority ??= 0;
    spec.preemptionPolicy ??= "PreemptLowerPriority";
  }
  // A LimitRange may have given the containers more resources.
  podResourceDefaults(spec);
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
  labelSelector?:
    | { matchExpressions?: { key: string; operator: string; values?: string[] | undefined }[] | undefined }
    | undefined;
  matchLabelKeys?: string[] | undefined;
  mismatchLabelKeys?: string[] | undefined;
}

/** Merges the labels named by `matchLabelKeys` and `mismatchLabelKeys` into the terms' selectors. */
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

export function preparePodUpdate({ spec }: Pod): void {
  dropDisabled(spec);
}
