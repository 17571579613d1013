import type { Job, PodFailurePolicyRule } from "../../../../kinds/batch/v1.js";
import type { ContainerStatus, Pod } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { parseIndexes } from "./indexes.js";

type Rule = DeepReadonly<PodFailurePolicyRule>;

/** Decision of the pod failure policy on a failed pod. `message` explains an action other than `Count`. */
export interface PolicyDecision {
  readonly action: PodFailurePolicyRule["action"];
  readonly message: string;
}

/**
 * Applies the first rule that matches a failed pod. Without one, the failure counts.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy
 */
export function applyFailurePolicy(job: DeepReadonly<Job>, pod: DeepReadonly<Pod>): PolicyDecision {
  for (const [index, rule] of (job.spec?.podFailurePolicy?.rules ?? []).entries()) {
    if (rule.action === "FailIndex" && job.spec?.backoffLimitPerIndex === undefined) continue;
    const match = matchExitCodes(rule, pod) ?? matchConditions(rule, pod);
    if (match === undefined) continue;
    return { action: rule.action, message: `${match} matching ${rule.action} rule at index ${index}` };
  }
  return { action: "Count", message: "" };
}

function matchExitCodes({ onExitCodes }: Rule, { metadata, status }: DeepReadonly<Pod>): string | undefined {
  if (onExitCodes === undefined || status?.phase !== "Failed") return undefined;
  const statuses: readonly DeepReadonly<ContainerStatus>[] = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []),
  ];
  for (const { name, state } of statuses) {
    const exitCode = state?.terminated?.exitCode ?? 0;
    if (exitCode === 0 || (onExitCodes.containerName !== undefined && onExitCodes.containerName !== name)) continue;
    if (onExitCodes.values.includes(exitCode) !== (onExitCodes.operator === "In")) continue;
    return `Container ${name} for pod ${metadata?.namespace}/${metadata?.name} failed with exit code ${exitCode}`;
  }
  return undefined;
}

function matchConditions({ onPodConditions = [] }: Rule, { metadata, status }: DeepReadonly<Pod>): string | undefined {
  for (const { type, status: wanted = "True" } of onPodConditions) {
    const condition = status?.conditions?.find((other) => other.type === type && other.status === wanted);
    if (condition !== undefined) return `Pod ${metadata?.namespace}/${metadata?.name} has condition ${type}`;
  }
  return undefined;
}

/**
 * Returns the index of the first rule of the success policy that the completed indexes meet.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/job/#success-policy
 */
export function matchSuccessPolicy(job: DeepReadonly<Job>, completed: ReadonlySet<number>): number | undefined {
  const rules = job.spec?.successPolicy?.rules ?? [];
  const position = rules.findIndex(({ succeededIndexes, succeededCount }) => {
    const required = succeededIndexes === undefined ? undefined : parseIndexes(succeededIndexes, job.spec?.completions);
    const met = required === undefined ? completed.size : [...required].filter((index) => completed.has(index)).length;
    return met >= (succeededCount ?? required?.size ?? Number.POSITIVE_INFINITY);
  });
  return position === -1 ? undefined : position;
}
