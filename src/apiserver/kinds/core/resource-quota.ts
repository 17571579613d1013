import { pushAll } from "../../../internal/push-all.js";
import type { ResourceQuota, ResourceQuotaSpec } from "../../../kinds/core/v1.js";
import { compareQuantities } from "../../../meta/quantity.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { invalid, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin, dropStatus } from "../shared/kind-definition.js";
import { isQuotaResource, quotaResourceName, resourceQuantity } from "../shared/resource-names.js";

const podResources: readonly string[] = [
  "pods",
  "cpu",
  "memory",
  "limits.cpu",
  "limits.memory",
  "requests.cpu",
  "requests.memory",
];

/** Resources that a quota of each scope can limit. */
const scopeResources: Readonly<Record<string, readonly string[]>> = {
  Terminating: podResources,
  NotTerminating: podResources,
  NotBestEffort: podResources,
  PriorityClass: podResources,
  CrossNamespacePodAffinity: podResources,
  BestEffort: ["pods"],
  VolumeAttributesClass: ["persistentvolumeclaims", "requests.storage"],
};
const knownScopes = new Set([
  "BestEffort",
  "NotBestEffort",
  "Terminating",
  "NotTerminating",
  "CrossNamespacePodAffinity",
]);
const conflictingScopes = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];

function validate({ spec = {} }: ResourceQuota): FieldError[] {
  return [...amountErrors(spec.hard, "spec.hard"), ...scopeErrors(spec), ...selectorErrors(spec)];
}

function amountErrors(given: Readonly<Record<string, string>> | undefined, at: string): FieldError[] {
  return Object.entries(given ?? {}).flatMap(([name, quantity]) => [
    ...quotaResourceName(`${at}[${name}]`, name),
    ...resourceQuantity(`${at}[${name}]`, name, quantity),
  ]);
}

/** Returns an error for each resource of the quota that a scope can't limit. */
function unfit(field: string, scope: string, { hard = {} }: ResourceQuotaSpec): FieldError[] {
  const fit = Object.hasOwn(scopeResources, scope) ? scopeResources[scope] : undefined;
  return Object.keys(fit === undefined ? {} : hard)
    .filter((name) => isQuotaResource(name) && !fit!.includes(name))
    .map((name) => invalid(field, scope, `unsupported scope for ${name}`));
}

function conflicts(field: string, scopes: readonly string[]): FieldError[] {
  return conflictingScopes
    .filter((pair) => pair.every((scope) => scopes.includes(scope)))
    .map(() => invalid(field, scopes, "conflicting scopes"));
}

function scopeErrors(spec: ResourceQuotaSpec): FieldError[] {
  const field = "spec.scopes";
  const { scopes = [] } = spec;
  const repeated = check.repeats(scopes);
  return [
    ...scopes.flatMap((scope, at) => [
      ...(Object.hasOwn(scopeResources, scope) ? [] : [invalid(field, scopes, "unsupported scope")]),
      // The errors of a repeated scope would be the product of two lists.
      ...(repeated.has(at) ? [] : unfit(field, scope, spec)),
    ]),
    ...conflicts(field, scopes),
  ];
}

function selectorErrors(spec: ResourceQuotaSpec): FieldError[] {
  const at = "spec.scopeSelector.matchExpressions";
  const requirements = spec.scopeSelector?.matchExpressions ?? [];
  const repeated = check.repeats(requirements.map(({ scopeName }) => scopeName));
  const errors = requirements.flatMap(({ scopeName, operator, values = [] }, index) => {
    const found: FieldError[] = [];
    if (!Object.hasOwn(scopeResources, scopeName))
      found.push(invalid(`${at}.scopeName`, scopeName, "unsupported scope"));
    if (!repeated.has(index)) pushAll(found, unfit(at, scopeName, spec));
    if (knownScopes.has(scopeName) && operator !== "Exists")
      found.push(invalid(`${at}.operator`, operator, `must be 'Exists' for scope ${scopeName}`));
    if (operator === "In" || operator === "NotIn") {
      if (values.length === 0)
        found.push(required(`${at}.values`, "must have a value when `operator` is 'In' or 'NotIn'"));
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (values.length > 0)
        found.push(invalid(`${at}.values`, values, "must be empty when `operator` is 'Exists' or 'DoesNotExist'"));
    } else found.push(invalid(`${at}.operator`, operator, "not a valid selector operator"));
    return found;
  });
  return [
    ...errors,
    ...conflicts(
      at,
      requirements.map(({ scopeName }) => scopeName),
    ),
  ];
}

/** Returns a warning for each resource whose requests may exceed its limits. */
function requestWarnings(hard: Readonly<Record<string, string>>): string[] {
  return ["cpu", "memory", "storage", "ephemeral-storage"].flatMap((name) => {
    const requests = [`requests.${name}`, ...(podResources.includes(name) ? [name] : [])].find((key) => key in hard);
    const limits = `limits.${name}`;
    return requests !== undefined && limits in hard && compareQuantities(hard[requests]!, hard[limits]!) > 0
      ? [`${requests} (${hard[requests]!}) should be less than ${limits} (${hard[limits]!})`]
      : [];
  });
}

/** Returns used and hard amounts as `name: used/hard`, either of limits or of everything else. */
function usage({ status }: ResourceQuota, limits: boolean): string {
  return Object.entries(status?.hard ?? {})
    .filter(([name]) => name.startsWith("limits.") === limits)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, hard]) => `${name}: ${status?.used?.[name] ?? "0"}/${hard}`)
    .join(", ");
}

export const resourceQuota: KindDefinition = defineBuiltin<ResourceQuota>({
  resource: "/resourcequotas",
  deletion: { returnsObject: true },
  prepare: { create: dropStatus },
  validate: {
    create: validate,
    update(quota, old) {
      const [scopes, before] = [quota, old].map(({ spec }) => [...new Set<string>(spec?.scopes ?? [])].sort());
      return [
        ...validate(quota),
        ...(check.sameValue(scopes, before) ? [] : [invalid("spec.scopes", quota.spec?.scopes, "field is immutable")]),
      ];
    },
    status: ({ status }) => [
      ...amountErrors(status?.hard, "status.hard"),
      ...amountErrors(status?.used, "status.used"),
    ],
    checksEnums: true,
  },
  warnings: ({ spec }, old) => (old === undefined ? requestWarnings(spec?.hard ?? {}) : []),
  printer: { columns: "Request,Limit,Age", cells: (quota, age) => [usage(quota, false), usage(quota, true), age] },
});
