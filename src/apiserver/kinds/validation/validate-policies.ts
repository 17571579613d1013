import type { PodDisruptionBudget } from "../../../kinds/policy/v1.js";
import type { ClusterRole, PolicyRule, RoleBinding } from "../../../kinds/rbac/v1.js";
import type { PriorityClass } from "../../../kinds/scheduling/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import {
  dnsSubdomain,
  forbidden,
  immutableNamed,
  invalid,
  nonNegative,
  notSupported,
  required,
  sameValue,
  textNotSupported,
} from "../shared/field-errors.js";
import { atMostAll, intOrPercent } from "../shared/int-or-percent.js";
import { conditionsErrors, selectorErrors } from "../shared/selectors.js";

const RBAC = "rbac.authorization.k8s.io";

/** Errors of a Role or ClusterRole. */
export function validateRole(namespaced: boolean): (role: { rules?: readonly PolicyRule[] | null }) => FieldError[] {
  return ({ rules }) =>
    (rules ?? []).flatMap((rule, index) => {
      const at = `rules[${String(index)}]`;
      const errors: FieldError[] = [];
      if (((rule.verbs as readonly string[] | null) ?? []).length === 0)
        errors.push(required(`${at}.verbs`, "verbs must contain at least one value"));
      if ((rule.nonResourceURLs ?? []).length > 0) {
        if (namespaced)
          errors.push(
            invalid(
              `${at}.nonResourceURLs`,
              rule.nonResourceURLs,
              "namespaced rules cannot apply to non-resource URLs",
            ),
          );
        if ([rule.apiGroups, rule.resources, rule.resourceNames].some((list) => (list ?? []).length > 0))
          errors.push(
            invalid(
              `${at}.nonResourceURLs`,
              rule.nonResourceURLs,
              "rules cannot apply to both regular resources and non-resource URLs",
            ),
          );
        return errors;
      }
      if ((rule.apiGroups ?? []).length === 0)
        errors.push(required(`${at}.apiGroups`, "resource rules must supply at least one api group"));
      if ((rule.resources ?? []).length === 0)
        errors.push(required(`${at}.resources`, "resource rules must supply at least one resource"));
      return errors;
    });
}

/** Errors of a ClusterRole. */
export function validateClusterRole(role: ClusterRole): FieldError[] {
  const errors = validateRole(false)(role);
  if (role.aggregationRule === undefined) return errors;
  const at = "aggregationRule.clusterRoleSelectors";
  const selectors = role.aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0)
    errors.push(required(at, "at least one clusterRoleSelector required if aggregationRule is non-nil"));
  return [
    ...errors,
    ...selectors.flatMap((selector, index) => {
      const wrong = selectorErrors(selector, `${at}[${String(index)}]`);
      return wrong.length === 0 ? [] : [...wrong, invalid(`${at}[${String(index)}]`, null, "invalid label selector.")];
    }),
  ];
}

/** Errors of a RoleBinding or ClusterRoleBinding. */
export function validateBinding(namespaced: boolean): (binding: RoleBinding) => FieldError[] {
  return ({ roleRef, subjects }) => {
    const errors: FieldError[] = [];
    const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
    if (roleRef.apiGroup !== RBAC) errors.push(textNotSupported("roleRef.apiGroup", roleRef.apiGroup, [RBAC]));
    if (!kinds.includes(roleRef.kind)) errors.push(textNotSupported("roleRef.kind", roleRef.kind, kinds));
    if (roleRef.name === "") errors.push(required("roleRef.name"));
    (subjects ?? []).forEach((subject, index) => {
      const at = `subjects[${String(index)}]`;
      if (subject.name === "") errors.push(required(`${at}.name`));
      if (subject.kind === "ServiceAccount") {
        if (subject.name !== "") errors.push(...dnsSubdomain(`${at}.name`, subject.name));
        if ((subject.apiGroup ?? "") !== "") errors.push(textNotSupported(`${at}.apiGroup`, subject.apiGroup, [""]));
        if (!namespaced && (subject.namespace ?? "") === "") errors.push(required(`${at}.namespace`));
      } else if (subject.kind === "User" || subject.kind === "Group") {
        if (subject.apiGroup !== RBAC) errors.push(textNotSupported(`${at}.apiGroup`, subject.apiGroup ?? "", [RBAC]));
      } else errors.push(textNotSupported(`${at}.kind`, subject.kind, ["ServiceAccount", "User", "Group"]));
    });
    return errors;
  };
}

/** Errors of a changed RoleBinding or ClusterRoleBinding. */
export function validateBindingUpdate(namespaced: boolean): (binding: RoleBinding, old: RoleBinding) => FieldError[] {
  return (binding, old) => {
    const { apiGroup, kind, name } = binding.roleRef;
    // The value is shown as Go prints its own struct.
    const changed = sameValue(binding.roleRef, old.roleRef)
      ? []
      : [invalid("roleRef", { APIGroup: apiGroup, Kind: kind, Name: name }, "cannot change roleRef")];
    return [...validateBinding(namespaced)(binding), ...changed];
  };
}

/** Errors of a PodDisruptionBudget. */
export function validateBudget({ spec = {} }: PodDisruptionBudget): FieldError[] {
  const errors: FieldError[] = [];
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: eviction } = spec;
  // The value is shown as Go prints its own struct.
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    errors.push(
      invalid(
        "spec",
        {
          MinAvailable: minAvailable,
          Selector: selector ?? null,
          MaxUnavailable: maxUnavailable,
          UnhealthyPodEvictionPolicy: eviction ?? null,
        },
        "minAvailable and maxUnavailable cannot be both set",
      ),
    );
  }
  for (const key of ["minAvailable", "maxUnavailable"] as const)
    errors.push(...intOrPercent(`spec.${key}`, spec[key]), ...atMostAll(`spec.${key}`, spec[key]));
  errors.push(...selectorErrors(selector, "spec.selector"));
  if (eviction !== undefined && eviction !== "AlwaysAllow" && eviction !== "IfHealthyBudget")
    errors.push(notSupported("spec.unhealthyPodEvictionPolicy", eviction, ["AlwaysAllow", "IfHealthyBudget"]));
  return errors;
}

/** Errors of a PodDisruptionBudget's status. */
export function validateBudgetStatus({ status }: PodDisruptionBudget): FieldError[] {
  return [
    ...conditionsErrors(status?.conditions ?? [], "status.conditions"),
    ...(["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const).flatMap((key) =>
      nonNegative(`status.${key}`, status?.[key]),
    ),
  ];
}

const PREEMPTION = ["PreemptLowerPriority", "Never"];

/** Errors of a PriorityClass. */
export function validatePriorityClass({ metadata, value, preemptionPolicy }: PriorityClass): FieldError[] {
  const name = metadata?.name ?? "";
  const errors: FieldError[] = [];
  if (name.startsWith("system-")) {
    const system = name === "system-cluster-critical" || name === "system-node-critical";
    if (!system)
      errors.push(
        forbidden(
          "metadata.name",
          `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`,
        ),
      );
  } else if ((value ?? 0) > 1_000_000_000)
    errors.push(forbidden("value", "maximum allowed value of a user defined priority is 1000000000"));
  const policy = preemptionPolicy as string | undefined;
  if (policy === "") errors.push(required("preemptionPolicy"));
  else if (policy !== undefined && !PREEMPTION.includes(policy))
    errors.push(notSupported("preemptionPolicy", policy, PREEMPTION));
  return errors;
}

/** Errors of a changed PriorityClass. */
export function validatePriorityClassUpdate(each: PriorityClass, old: PriorityClass): FieldError[] {
  return [
    ...(each.value === old.value ? [] : [forbidden("value", "may not be changed in an update.")]),
    ...immutableNamed("preemptionPolicy", each.preemptionPolicy, old.preemptionPolicy),
  ];
}
