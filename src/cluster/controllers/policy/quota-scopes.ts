import type { PersistentVolumeClaim, Pod, PodAffinityTerm, ResourceQuota } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

type Requirement = {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
};

/** Returns true if a quota counts a pod. */
export function countsPod(quota: DeepReadonly<ResourceQuota>, pod: DeepReadonly<Pod>): boolean {
  return requirementsOf(quota).every((requirement) => meets(requirement, pod));
}

/** Returns true if a quota counts a claim. */
export function countsClaim(quota: DeepReadonly<ResourceQuota>, claim: DeepReadonly<PersistentVolumeClaim>): boolean {
  return requirementsOf(quota).every(
    (requirement) => requirement.scopeName === "VolumeAttributesClass" && selects(requirement, classesOf(claim)),
  );
}

/** Returns true if a quota counts only the pods or claims of its scopes. */
export function hasScopes(quota: DeepReadonly<ResourceQuota>): boolean {
  return requirementsOf(quota).length > 0;
}

function requirementsOf({ spec }: DeepReadonly<ResourceQuota>): readonly Requirement[] {
  const scopes = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" }));
  return [...scopes, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

function meets(requirement: Requirement, { spec, status }: DeepReadonly<Pod>): boolean {
  switch (requirement.scopeName) {
    case "Terminating":
      return spec?.activeDeadlineSeconds !== undefined;
    case "NotTerminating":
      return spec?.activeDeadlineSeconds === undefined;
    case "BestEffort":
      return status?.qosClass === "BestEffort";
    case "NotBestEffort":
      return status?.qosClass !== "BestEffort";
    case "CrossNamespacePodAffinity":
      return affinityTerms(spec).some(
        ({ namespaces, namespaceSelector }) => (namespaces ?? []).length > 0 || namespaceSelector !== undefined,
      );
    case "PriorityClass":
      return selects(requirement, [spec?.priorityClassName ?? ""].filter(Boolean));
    default:
      return false;
  }
}

/** Returns true if a requirement selects one of the names of an object, or an object without names. */
function selects({ operator, values = [] }: Requirement, names: readonly string[]): boolean {
  if (operator === "Exists") return names.length > 0;
  if (operator === "DoesNotExist") return names.length === 0;
  const isWanted = (name: string): boolean => values.includes(name) === (operator === "In");
  return names.length === 0 ? operator === "NotIn" : names.some(isWanted);
}

/** Returns the attributes classes that a claim wants, has and is about to have. */
function classesOf({ spec, status }: DeepReadonly<PersistentVolumeClaim>): string[] {
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus: modification } = status ?? {};
  return [spec?.volumeAttributesClassName, current, modification?.targetVolumeAttributesClassName].filter(
    (name) => name !== undefined && name !== "",
  ) as string[];
}

function affinityTerms(spec: DeepReadonly<Pod>["spec"]): DeepReadonly<PodAffinityTerm>[] {
  return [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity].flatMap((terms) => [
    ...(terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}
