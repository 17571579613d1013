import type { Pod, PodAffinityTerm, ResourceQuota } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

type PodSpec = NonNullable<DeepReadonly<Pod>["spec"]>;
type Requirement = {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
};

/** Returns true if a quota counts a pod. */
export function countsPod(quota: DeepReadonly<ResourceQuota>, { spec }: DeepReadonly<Pod>): boolean {
  return requirementsOf(quota).every((requirement) => meets(requirement, spec!));
}

/** Returns true if a quota counts only the pods of its scopes. */
export function hasScopes(quota: DeepReadonly<ResourceQuota>): boolean {
  return requirementsOf(quota).length > 0;
}

function requirementsOf({ spec }: DeepReadonly<ResourceQuota>): readonly Requirement[] {
  const scopes = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" }));
  return [...scopes, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

function meets({ scopeName, operator, values = [] }: Requirement, spec: PodSpec): boolean {
  switch (scopeName) {
    case "Terminating":
      return spec.activeDeadlineSeconds !== undefined;
    case "NotTerminating":
      return spec.activeDeadlineSeconds === undefined;
    case "BestEffort":
      return isBestEffort(spec);
    case "NotBestEffort":
      return !isBestEffort(spec);
    case "CrossNamespacePodAffinity":
      return affinityTerms(spec).some(
        ({ namespaces, namespaceSelector }) => (namespaces ?? []).length > 0 || namespaceSelector !== undefined,
      );
    case "PriorityClass": {
      const { priorityClassName = "" } = spec;
      if (operator === "Exists") return priorityClassName !== "";
      if (operator === "DoesNotExist") return priorityClassName === "";
      return values.includes(priorityClassName) === (operator === "In");
    }
    default:
      return false;
  }
}

function isBestEffort({ containers, initContainers = [] }: PodSpec): boolean {
  return [...containers, ...initContainers].every(
    ({ resources }) => Object.keys({ ...resources?.requests, ...resources?.limits }).length === 0,
  );
}

function affinityTerms({ affinity }: PodSpec): DeepReadonly<PodAffinityTerm>[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((terms) => [
    ...(terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}
