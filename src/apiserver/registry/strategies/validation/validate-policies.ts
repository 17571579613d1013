import type { HorizontalPodAutoscaler } from "../../../../kinds/autoscaling/v2.js";
import type { Lease } from "../../../../kinds/coordination/v1.js";
import type { FlowSchema, PriorityLevelConfiguration } from "../../../../kinds/flowcontrol/v1.js";
import type { PodDisruptionBudget } from "../../../../kinds/policy/v1.js";
import type { PolicyRule, RoleBinding } from "../../../../kinds/rbac/v1.js";
import type { PriorityClass } from "../../../../kinds/scheduling/v1.js";
import type { StorageClass } from "../../../../kinds/storage/v1.js";
import type { FieldError } from "../../../schema/field-error.js";
import { dnsSubdomain, forbidden, immutable, invalid, nonNegative, notSupported, qualifiedName, required, sameValue } from "./field-errors.js";
import { selectorErrors } from "./validate-selector.js";

const RBAC = "rbac.authorization.k8s.io";

/** Errors of a Role or ClusterRole. */
export function validateRole(namespaced: boolean): (role: { rules?: readonly PolicyRule[] | null }) => FieldError[] {
  return ({ rules }) =>
    (rules ?? []).flatMap((rule, index) => {
      const at = `rules[${String(index)}]`;
      const errors: FieldError[] = [];
      if ((rule.verbs as readonly string[] | null ?? []).length === 0) errors.push(required(`${at}.verbs`, "verbs must contain at least one value"));
      if ((rule.nonResourceURLs ?? []).length > 0) {
        if (namespaced) errors.push(invalid(`${at}.nonResourceURLs`, rule.nonResourceURLs, "namespaced rules cannot apply to non-resource URLs"));
        if ([rule.apiGroups, rule.resources, rule.resourceNames].some((list) => (list ?? []).length > 0)) errors.push(invalid(`${at}.nonResourceURLs`, rule.nonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs"));
        return errors;
      }
      if ((rule.apiGroups ?? []).length === 0) errors.push(required(`${at}.apiGroups`, "resource rules must supply at least one api group"));
      if ((rule.resources ?? []).length === 0) errors.push(required(`${at}.resources`, "resource rules must supply at least one resource"));
      return errors;
    });
}

/** Errors of a RoleBinding or ClusterRoleBinding. */
export function validateBinding(namespaced: boolean): (binding: RoleBinding) => FieldError[] {
  return ({ roleRef, subjects }) => {
    const errors: FieldError[] = [];
    const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
    if (roleRef.apiGroup !== RBAC) errors.push(notSupported("roleRef.apiGroup", roleRef.apiGroup, [RBAC]));
    if (!kinds.includes(roleRef.kind)) errors.push(notSupported("roleRef.kind", roleRef.kind, kinds));
    if (roleRef.name === "") errors.push(required("roleRef.name"));
    (subjects ?? []).forEach((subject, index) => {
      const at = `subjects[${String(index)}]`;
      if (subject.name === "") errors.push(required(`${at}.name`));
      if (subject.kind === "ServiceAccount") {
        if (subject.name !== "") errors.push(...dnsSubdomain(`${at}.name`, subject.name));
        if ((subject.apiGroup ?? "") !== "") errors.push(notSupported(`${at}.apiGroup`, subject.apiGroup, [""]));
        if (!namespaced && (subject.namespace ?? "") === "") errors.push(required(`${at}.namespace`));
      } else if (subject.kind === "User" || subject.kind === "Group") {
        if (subject.apiGroup !== RBAC) errors.push(notSupported(`${at}.apiGroup`, subject.apiGroup ?? "", [RBAC]));
      } else errors.push(notSupported(`${at}.kind`, subject.kind, ["ServiceAccount", "User", "Group"]));
    });
    return errors;
  };
}

/** Errors of a changed RoleBinding or ClusterRoleBinding. */
export function validateBindingUpdate(namespaced: boolean): (binding: RoleBinding, old: RoleBinding) => FieldError[] {
  return (binding, old) => {
    const { apiGroup, kind, name } = binding.roleRef;
    // The value is shown as Go prints its own struct.
    const changed = sameValue(binding.roleRef, old.roleRef) ? [] : [invalid("roleRef", { APIGroup: apiGroup, Kind: kind, Name: name }, "cannot change roleRef")];
    return [...validateBinding(namespaced)(binding), ...changed];
  };
}

/** Errors of a Lease. */
export function validateLease({ spec = {} }: Lease): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0) errors.push(invalid("spec.leaseDurationSeconds", spec.leaseDurationSeconds, "must be greater than 0"));
  errors.push(...nonNegative("spec.leaseTransitions", spec.leaseTransitions));
  if ((spec.preferredHolder ?? "") !== "" && (spec.strategy ?? "") === "") errors.push(forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined"));
  return errors;
}

/** Errors of a PodDisruptionBudget. */
export function validateBudget({ spec = {} }: PodDisruptionBudget): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    errors.push(invalid("spec", { MinAvailable: spec.minAvailable, Selector: spec.selector ?? null, MaxUnavailable: spec.maxUnavailable, UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null }, "minAvailable and maxUnavailable cannot be both set"));
  }
  for (const key of ["minAvailable", "maxUnavailable"] as const) {
    const value = spec[key];
    if (typeof value === "number") errors.push(...nonNegative(`spec.${key}`, value));
    else if (value !== undefined && !/^\d+%$/.test(value)) errors.push(invalid(`spec.${key}`, value, "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"));
    else if (value !== undefined && Number(value.slice(0, -1)) > 100) errors.push(invalid(`spec.${key}`, value, "must not be greater than 100%"));
  }
  return [...errors, ...selectorErrors(spec.selector, "spec.selector")];
}

/** Errors of a HorizontalPodAutoscaler. */
export function validateAutoscaler({ spec }: HorizontalPodAutoscaler): FieldError[] {
  if (spec === undefined) return [];
  const errors: FieldError[] = [];
  const { minReplicas, maxReplicas, scaleTargetRef: target } = spec;
  if (minReplicas !== undefined && minReplicas < 1) errors.push(invalid("spec.minReplicas", minReplicas, "must be greater than or equal to 1"));
  if (maxReplicas === 0) errors.push(required("spec.maxReplicas", "must be set and greater than 0"));
  else if (maxReplicas < 0) errors.push(invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to 1"));
  if (minReplicas !== undefined && maxReplicas < minReplicas) errors.push(invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`"));
  if (target.kind === "") errors.push(required("spec.scaleTargetRef.kind"));
  if (target.name === "") errors.push(required("spec.scaleTargetRef.name"));
  const version = target.apiVersion ?? "";
  if (!version.includes("/") && target.kind !== "ReplicationController") errors.push(invalid("spec.scaleTargetRef.apiVersion", version, "apiVersion must specify API group"));
  const scalesToZero = (spec.metrics ?? []).some((metric) => metric.type === "Object" || metric.type === "External");
  if (minReplicas === 0 && !scalesToZero) errors.push(forbidden("spec.metrics", "must specify at least one Object or External metric to support scaling to zero replicas"));
  return errors;
}

/** Errors of a PriorityClass. */
export function validatePriorityClass({ metadata, value }: PriorityClass): FieldError[] {
  const name = metadata?.name ?? "";
  const system = name === "system-cluster-critical" || name === "system-node-critical";
  if (name.startsWith("system-")) {
    return system ? [] : [forbidden("metadata.name", `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`)];
  }
  return (value ?? 0) > 1_000_000_000 ? [forbidden("value", "maximum allowed value of a user defined priority is 1000000000")] : [];
}

/** Errors of a changed PriorityClass. */
export function validatePriorityClassUpdate(each: PriorityClass, old: PriorityClass): FieldError[] {
  return [...(each.value === old.value ? [] : [forbidden("value", "may not be changed in an update.")]), ...immutable("preemptionPolicy", each.preemptionPolicy, old.preemptionPolicy)];
}

/** Errors of a StorageClass. */
export function validateStorageClass({ provisioner }: StorageClass): FieldError[] {
  return provisioner === "" ? [required("provisioner")] : qualifiedName("provisioner", provisioner.toLowerCase());
}

/** Errors of a changed StorageClass. */
export function validateStorageClassUpdate(each: StorageClass, old: StorageClass): FieldError[] {
  return (["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const).flatMap((key) => immutable(key, each[key], old[key]));
}

/** Errors of a FlowSchema. */
export function validateFlowSchema({ spec, metadata }: FlowSchema): FieldError[] {
  if (spec === undefined) return [];
  const errors: FieldError[] = [];
  const precedence = spec.matchingPrecedence ?? 0;
  if (precedence <= 0) errors.push(invalid("spec.matchingPrecedence", precedence, "must be a positive value"));
  if (precedence > 10000) errors.push(invalid("spec.matchingPrecedence", precedence, "must not be greater than 10000"));
  if (precedence === 1 && metadata?.name !== "exempt") errors.push(invalid("spec.matchingPrecedence", precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
  if (spec.priorityLevelConfiguration.name === "") errors.push(required("spec.priorityLevelConfiguration.name", "must reference a priority level"));
  return errors;
}

/** Errors of a PriorityLevelConfiguration. */
export function validatePriorityLevel({ spec }: PriorityLevelConfiguration): FieldError[] {
  if (spec === undefined) return [];
  const errors: FieldError[] = [];
  const { limited } = spec;
  if (spec.type === "Exempt" && limited !== undefined) errors.push(forbidden("spec.limited", "must be nil if the type is Exempt"));
  if (spec.type !== "Limited") return errors;
  if (limited === undefined) return [...errors, required("spec.limited", "must not be empty when type is Limited")];
  if ((limited.nominalConcurrencyShares ?? 0) < 0) errors.push(invalid("spec.limited.nominalConcurrencyShares", limited.nominalConcurrencyShares, "must be a non-negative integer"));
  const response = limited.limitResponse;
  const at = "spec.limited.limitResponse.queuing";
  if (response?.type === "Reject" && response.queuing !== undefined) errors.push(forbidden(at, "must be nil if limited.limitResponse.type is not Limited"));
  if (response?.type === "Queue" && response.queuing === undefined) errors.push(required(at, "must not be empty if limited.limitResponse.type is Limited"));
  const queuing = response?.queuing;
  if (queuing?.handSize !== undefined && queuing.queues !== undefined && queuing.handSize > queuing.queues) {
    errors.push(invalid(`${at}.handSize`, queuing.handSize, `should not be greater than queues (${String(queuing.queues)})`));
  }
  return errors;
}
