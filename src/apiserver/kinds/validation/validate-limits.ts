import type { LimitRange, LimitRangeItem, ResourceQuota, ResourceQuotaSpec } from "../../../kinds/core/v1.js";
import { compareQuantities, quantityToNumber } from "../../../meta/quantity.js";
import type { FieldError } from "../../errors/field-error.js";
import {
  duplicate,
  forbidden,
  immutable,
  invalid,
  invalidNamed,
  ofNamed,
  qualifiedName,
  required,
} from "../shared/field-errors.js";
import {
  containerResourceName,
  isNativeResource,
  isQuotaResource,
  quotaResourceName,
  resourceName,
  resourceQuantity,
} from "../shared/resource-names.js";

const LIMIT_TYPES: readonly string[] = ["Pod", "Container", "PersistentVolumeClaim"];

/** Errors of a LimitRange. */
export function validateLimitRange({ spec }: LimitRange): FieldError[] {
  const taken = new Set<string>();
  const limits = (spec?.limits as readonly LimitRangeItem[] | null | undefined) ?? [];
  return limits.flatMap((limit, index) => {
    const at = `spec.limits[${String(index)}]`;
    const errors = limitType(limit.type, `${at}.type`);
    if (taken.has(limit.type)) errors.push(duplicate(`${at}.type`, limit.type));
    taken.add(limit.type);
    return [...errors, ...limitErrors(limit, at)];
  });
}

function limitType(type: string, field: string): FieldError[] {
  const errors = ofNamed(qualifiedName(field, type));
  return errors.length > 0 || type.includes("/") || LIMIT_TYPES.includes(type)
    ? errors
    : [invalidNamed(field, type, "must be a standard limit type or fully qualified")];
}

function limitErrors(limit: LimitRangeItem, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const check = limit.type === "Pod" || limit.type === "Container" ? containerResourceName : resourceName;
  const names = (key: "max" | "min" | "default" | "defaultRequest" | "maxLimitRequestRatio"): string[] =>
    Object.keys(limit[key] ?? {});
  const look = (key: Parameters<typeof names>[0]): void => {
    for (const name of names(key)) errors.push(...check(`${at}.${key}[${name}]`, name));
  };
  look("max");
  look("min");
  for (const key of ["default", "defaultRequest"] as const) {
    if (limit.type !== "Pod") look(key);
    else if (names(key).length > 0) errors.push(forbidden(`${at}.${key}`, "may not be specified when `type` is 'Pod'"));
  }
  if (
    limit.type === "PersistentVolumeClaim" &&
    limit.min?.["storage"] === undefined &&
    limit.max?.["storage"] === undefined
  )
    errors.push(
      required(`${at}.limits`, "either minimum or maximum storage value is required, but neither was provided"),
    );
  look("maxLimitRequestRatio");
  const all = new Set([
    ...names("max"),
    ...names("min"),
    ...(limit.type === "Pod" ? [] : [...names("default"), ...names("defaultRequest")]),
    ...names("maxLimitRequestRatio"),
  ]);
  return [...errors, ...[...all].flatMap((name) => amountErrors(limit, name, at))];
}

function amountErrors(limit: LimitRangeItem, name: string, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const [min, max, ratio] = [limit.min?.[name], limit.max?.[name], limit.maxLimitRequestRatio?.[name]];
  const [usual, request] = limit.type === "Pod" ? [] : [limit.default?.[name], limit.defaultRequest?.[name]];
  const over = (
    less: string | undefined,
    more: string | undefined,
    key: string,
    shown: string | undefined,
    words: readonly [string, string],
  ): void => {
    if (less !== undefined && more !== undefined && compareQuantities(less, more) > 0)
      errors.push(
        invalid(`${at}.${key}[${name}]`, shown, `${words[0]} value ${less} is greater than ${words[1]} value ${more}`),
      );
  };
  over(min, max, "min", min, ["min", "max"]);
  over(min, request, "defaultRequest", request, ["min", "default request"]);
  over(request, max, "defaultRequest", request, ["default request", "max"]);
  over(request, usual, "defaultRequest", request, ["default request", "default limit"]);
  over(min, usual, "default", min, ["min", "default"]);
  over(usual, max, "default", max, ["default", "max"]);
  if (ratio !== undefined) {
    const field = `${at}.maxLimitRequestRatio[${name}]`;
    if (compareQuantities(ratio, "1") < 0) errors.push(invalid(field, ratio, `ratio ${ratio} is less than 1`));
    if (min !== undefined && max !== undefined) {
      const most = quantityToNumber(max) / quantityToNumber(min);
      if (quantityToNumber(ratio) > most)
        errors.push(invalid(field, ratio, `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`));
    }
  }
  const whole = !isNativeResource(name) || name.startsWith("hugepages-");
  if (whole && usual !== undefined && request !== undefined && compareQuantities(usual, request) !== 0)
    errors.push(
      invalid(
        `${at}.defaultRequest[${name}]`,
        request,
        `default value ${usual} must equal to defaultRequest value ${request} in ${name}`,
      ),
    );
  return errors;
}

const PODS: readonly string[] = [
  "pods",
  "cpu",
  "memory",
  "limits.cpu",
  "limits.memory",
  "requests.cpu",
  "requests.memory",
];
/** What each scope of a quota can be used for. */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  Terminating: PODS,
  NotTerminating: PODS,
  NotBestEffort: PODS,
  PriorityClass: PODS,
  CrossNamespacePodAffinity: PODS,
  BestEffort: ["pods"],
  VolumeAttributesClass: ["persistentvolumeclaims", "requests.storage"],
};
const EXISTING = new Set(["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"]);

/** Errors of a ResourceQuota. */
export function validateQuota({ spec = {} }: ResourceQuota): FieldError[] {
  return [...amounts(spec.hard, "spec.hard"), ...scopeErrors(spec), ...selectorErrors(spec)];
}

/** Errors of a changed ResourceQuota: its scopes stay. */
export function validateQuotaUpdate(quota: ResourceQuota, old: ResourceQuota): FieldError[] {
  const set = (given: ResourceQuota): string[] => [...new Set<string>(given.spec?.scopes ?? [])].sort();
  const changed = immutable("", set(quota), set(old)).length > 0;
  return [
    ...validateQuota(quota),
    ...(changed ? [invalid("spec.scopes", quota.spec?.scopes, "field is immutable")] : []),
  ];
}

/** Errors of a ResourceQuota's status. */
export function validateQuotaStatus({ status }: ResourceQuota): FieldError[] {
  return [...amounts(status?.hard, "status.hard"), ...amounts(status?.used, "status.used")];
}

function amounts(given: Readonly<Record<string, string>> | undefined, at: string): FieldError[] {
  return Object.entries(given ?? {}).flatMap(([name, quantity]) => [
    ...quotaResourceName(`${at}[${name}]`, name),
    ...resourceQuantity(`${at}[${name}]`, name, quantity),
  ]);
}

/** How many of the resources a scope cannot be used for. */
function unfit(scope: string, { hard = {} }: ResourceQuotaSpec): number {
  const fit = Object.hasOwn(SCOPES, scope) ? SCOPES[scope] : undefined;
  return fit === undefined
    ? 0
    : Object.keys(hard).filter((name) => isQuotaResource(name) && !fit.includes(name)).length;
}

function conflicts(scopes: readonly string[]): number {
  return [
    ["BestEffort", "NotBestEffort"],
    ["Terminating", "NotTerminating"],
  ].filter((pair) => pair.every((scope) => scopes.includes(scope))).length;
}

function scopeErrors(spec: ResourceQuotaSpec): FieldError[] {
  const { scopes = [] } = spec;
  const wrong = (detail: string): FieldError => invalid("spec.scopes", scopes, detail);
  const repeated = (count: number, detail: string): FieldError[] => Array.from({ length: count }, () => wrong(detail));
  return [
    ...scopes.flatMap((scope) => [
      ...(Object.hasOwn(SCOPES, scope) ? [] : [wrong("unsupported scope")]),
      ...repeated(unfit(scope, spec), "unsupported scope applied to resource"),
    ]),
    ...repeated(conflicts(scopes), "conflicting scopes"),
  ];
}

function selectorErrors(spec: ResourceQuotaSpec): FieldError[] {
  const at = "spec.scopeSelector.matchExpressions";
  const requirements = spec.scopeSelector?.matchExpressions ?? [];
  const errors = requirements.flatMap(({ scopeName, operator, values = [] }) => {
    const found: FieldError[] = [];
    if (!Object.hasOwn(SCOPES, scopeName)) found.push(invalidNamed(`${at}.scopeName`, scopeName, "unsupported scope"));
    for (let left = unfit(scopeName, spec); left > 0; left -= 1)
      found.push(
        invalid(
          at,
          {
            MatchExpressions: requirements.map((each) => ({
              ScopeName: each.scopeName,
              Operator: each.operator,
              Values: each.values ?? null,
            })),
          },
          "unsupported scope applied to resource",
        ),
      );
    if (EXISTING.has(scopeName) && operator !== "Exists")
      found.push(
        invalid(
          `${at}.operator`,
          operator,
          "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
        ),
      );
    if (operator === "In" || operator === "NotIn") {
      if (values.length === 0)
        found.push(
          required(`${at}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"),
        );
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (values.length > 0)
        found.push(
          invalid(
            `${at}.values`,
            values,
            "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
          ),
        );
    } else found.push(invalidNamed(`${at}.operator`, operator, "not a valid selector operator"));
    return found;
  });
  for (let left = conflicts(requirements.map(({ scopeName }) => scopeName)); left > 0; left -= 1)
    errors.push(invalid(at, spec.scopes, "conflicting scopes"));
  return errors;
}
