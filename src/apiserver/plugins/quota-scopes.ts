import type { ApiObject } from "../objects/api-object.js";
import type { PodSpec } from "./pod.js";

/** Scopes of a ResourceQuota. */
export interface QuotaScopes {
  readonly scopes?: readonly string[];
  readonly scopeSelector?: { readonly matchExpressions?: readonly Requirement[] };
}

interface Requirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface AffinityTerm {
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: unknown;
}

interface AffinityTerms {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly AffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly { readonly podAffinityTerm: AffinityTerm }[];
}

type ScopedPodSpec = PodSpec & {
  readonly affinity?: { readonly podAffinity?: AffinityTerms; readonly podAntiAffinity?: AffinityTerms };
};

interface ScopedPod {
  readonly spec: ScopedPodSpec;
  readonly status?: { readonly qosClass?: string };
}

/** True if a quota applies to an object in this bucket. A quota with scopes applies only to pods and volume claims. */
export function matchesScopes(quota: QuotaScopes, bucket: string, object: ApiObject): boolean {
  const wanted: readonly Requirement[] = [
    ...(quota.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" })),
    ...(quota.scopeSelector?.matchExpressions ?? []),
  ];
  if (wanted.length === 0) return true;
  if (bucket === "/pods") return wanted.every((one) => podMatches(one, object as unknown as ScopedPod));
  if (bucket === "/persistentvolumeclaims")
    return wanted.every((one) => one.scopeName === "VolumeAttributesClass" && selects(one, attributesClasses(object)));
  return false;
}

function podMatches(requirement: Requirement, { spec: pod, status }: ScopedPod): boolean {
  switch (requirement.scopeName) {
    case "Terminating":
      return isTerminating(pod);
    case "NotTerminating":
      return !isTerminating(pod);
    case "BestEffort":
      return status?.qosClass === "BestEffort";
    case "NotBestEffort":
      return status?.qosClass !== "BestEffort";
    case "PriorityClass":
      return selects(
        requirement,
        pod.priorityClassName === undefined || pod.priorityClassName === "" ? [] : [pod.priorityClassName],
      );
    case "CrossNamespacePodAffinity":
      return [pod.affinity?.podAffinity, pod.affinity?.podAntiAffinity].some(crossesNamespaces);
    default:
      return false;
  }
}

/** True if a pod has a deadline. */
export function isTerminating(pod: PodSpec): boolean {
  return pod.activeDeadlineSeconds != null && pod.activeDeadlineSeconds >= 0;
}

function crossesNamespaces(terms: AffinityTerms | undefined): boolean {
  const all = [
    ...(terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ];
  return all.some((term) => (term.namespaces ?? []).length > 0 || term.namespaceSelector != null);
}

/** Returns every attributes class that a volume claim has, had or is to get. */
function attributesClasses(claim: ApiObject): string[] {
  const spec = claim["spec"] as { volumeAttributesClassName?: string } | undefined;
  const status = claim["status"] as
    | { currentVolumeAttributesClassName?: string; modifyVolumeStatus?: { targetVolumeAttributesClassName?: string } }
    | undefined;
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name) => name !== undefined && name !== ""))] as string[];
}

/** True if one of the names is selected; without a name, if objects without one are. */
function selects({ operator, values = [] }: Requirement, names: readonly string[]): boolean {
  if (operator === "Exists") return names.length > 0;
  if (operator === "DoesNotExist") return names.length === 0;
  if (operator === "In") return names.some((name) => values.includes(name));
  return names.length === 0 || names.some((name) => !values.includes(name));
}
