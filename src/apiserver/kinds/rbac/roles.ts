import type { AggregationRule, ClusterRole, PolicyRule, Role } from "../../../kinds/rbac/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { invalid, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import type { MetadataRules } from "../shared/metadata-rules.js";
import { selectorErrors } from "../shared/selectors.js";

const metadata: MetadataRules = { name: "pathSegment", checksOnUpdate: 2 };

function ruleErrors(rule: PolicyRule, at: string, namespaced: boolean): FieldError[] {
  const isEmpty = (list: readonly string[] | null | undefined): boolean => (list ?? []).length === 0;
  const errors = isEmpty(rule.verbs) ? [required(`${at}.verbs`)] : [];
  if (isEmpty(rule.nonResourceURLs))
    return [
      ...errors,
      ...(["apiGroups", "resources"] as const).flatMap((key) => (isEmpty(rule[key]) ? [required(`${at}.${key}`)] : [])),
    ];
  const field = `${at}.nonResourceURLs`;
  if (namespaced)
    errors.push(invalid(field, rule.nonResourceURLs, "namespaced rules cannot apply to non-resource URLs"));
  if (![rule.apiGroups, rule.resources, rule.resourceNames].every(isEmpty))
    errors.push(invalid(field, rule.nonResourceURLs, "rules cannot apply to both resources and non-resource URLs"));
  return errors;
}

function aggregationErrors({ clusterRoleSelectors: selectors = [] }: AggregationRule): FieldError[] {
  const field = "aggregationRule.clusterRoleSelectors";
  if (selectors.length === 0) return [required(field)];
  return check.eachItem(selectors, field, (selector, at) => {
    const errors = selectorErrors(selector, at);
    return errors.length === 0 ? [] : [...errors, invalid(at, null, "invalid label selector.")];
  });
}

export const role: KindDefinition = defineBuiltin<Role>({
  resource: "rbac.authorization.k8s.io/roles",
  createOnUpdate: true,
  metadata,
  validate: { create: ({ rules }) => check.eachItem(rules, "rules", (rule, at) => ruleErrors(rule, at, true)) },
});

export const clusterRole: KindDefinition = defineBuiltin<ClusterRole>({
  resource: "rbac.authorization.k8s.io/clusterroles",
  createOnUpdate: true,
  metadata,
  validate: {
    create: ({ rules, aggregationRule }) => [
      ...check.eachItem(rules, "rules", (rule, at) => ruleErrors(rule, at, false)),
      ...(aggregationRule === undefined ? [] : aggregationErrors(aggregationRule)),
    ],
  },
});
