import type {
  MatchResources,
  NamedRuleWithOperations,
  RuleWithOperations,
} from "../../../kinds/admissionregistration/v1.js";
import { CelCompileError } from "../../cel/checker/check.js";
import { CelProgramError, compilePolicyCel, policyResults } from "../../cel/policy.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { duplicate, invalid, required, tooMany } from "../shared/field-errors.js";
import { selectorErrors } from "../shared/selectors.js";
import type { StructHook, StructHooks } from "../shared/walk-structs.js";

const knownOperations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const ruleScopes = ["*", "Cluster", "Namespaced"];
/** Policies for other versions of a matched kind. */
export const matchPolicies: readonly string[] = ["Equivalent", "Exact"];
/** Policies for failures of a policy or webhook. */
export const failurePolicies: readonly string[] = ["Fail", "Ignore"];
/** Policies for calling a mutating policy or webhook again. */
export const reinvocationPolicies: readonly string[] = ["IfNeeded", "Never"];

/** Defaults the scope of a rule. */
export const fillScope: StructHook = (rule: { scope?: string | undefined }) => {
  rule.scope ??= "*";
};

/** Registers a struct's defaults under its names in all versions of the group. */
export function inAllVersions(struct: string, hook: StructHook): StructHooks {
  const versions = ["v1", "v1beta1", "v1alpha1"];
  return Object.fromEntries(versions.map((version) => [`io.k8s.api.admissionregistration.${version}.${struct}`, hook]));
}

/** Validates a match rule of a policy or webhook. */
export function ruleErrors(rule: RuleWithOperations, at: string): FieldError[] {
  const { operations, apiGroups, apiVersions, resources, scope } = rule;
  return [
    ...check.itemsOrWildcard(`${at}.operations`, operations),
    ...check.eachItem(operations, `${at}.operations`, (operation, path) =>
      check.oneOf(path, operation, knownOperations),
    ),
    ...check.itemsOrWildcard(`${at}.apiGroups`, apiGroups),
    ...check.itemsOrWildcard(`${at}.apiVersions`, apiVersions),
    ...check.eachItem(apiVersions, `${at}.apiVersions`, (version, path) => check.requiredText(path, version)),
    ...resourceErrors(resources ?? [], `${at}.resources`),
    ...check.optionalOneOf(`${at}.scope`, scope, ruleScopes),
  ];
}

function resourceErrors(resources: readonly string[], at: string): FieldError[] {
  const wholes = new Set<string>();
  let plain = false;
  const errors = check.eachItem(resources, at, (resource, path) => {
    if (resource === "") return [required(path)];
    const [, name, sub] = /^([^/]*)\/(.*)$/s.exec(resource) ?? [];
    if (name === undefined) {
      plain = resource !== "*";
      return [];
    }
    const covering = [`${name}/*`, `*/${sub!}`].filter((whole) => wholes.has(whole));
    if (sub === "*" || name === "*") wholes.add(resource);
    return covering.map((whole) => invalid(path, resource, `'${whole}' includes it already`));
  });
  return [
    ...(resources.length === 0 ? [required(at)] : []),
    ...errors,
    ...(resources.length > 1 && resources.includes("*/*")
      ? [invalid(at, resources, "may have no other items next to '*/*'")]
      : []),
    ...(resources.includes("*") && plain
      ? [invalid(at, resources, "may have no other resources without subresources next to '*'")]
      : []),
  ];
}

function namedRuleErrors(rule: NamedRuleWithOperations, at: string): FieldError[] {
  const { resourceNames = [] } = rule;
  return [
    ...check.eachItem(resourceNames, `${at}.resourceNames`, (name, path) => check.pathSegment(path, name)),
    ...check.duplicates(resourceNames, (index) => `${at}.resourceNames[${String(index)}]`),
    ...ruleErrors(rule, at),
  ];
}

/** Validates the match constraints of a policy or binding. */
export function matchResourcesErrors(match: MatchResources | undefined, at: string): FieldError[] {
  if (match === undefined) return [];
  return [
    ...(match.matchPolicy === undefined
      ? [required(`${at}.matchPolicy`)]
      : check.oneOf(`${at}.matchPolicy`, match.matchPolicy, matchPolicies)),
    ...(["namespaceSelector", "objectSelector"] as const).flatMap((key) =>
      match[key] === undefined ? [required(`${at}.${key}`)] : selectorErrors(match[key], `${at}.${key}`),
    ),
    ...(["resourceRules", "excludeResourceRules"] as const).flatMap((key) =>
      check.eachItem(match[key], `${at}.${key}`, namedRuleErrors),
    ),
  ];
}

/** A match condition. */
interface Condition {
  readonly name: string;
  readonly expression: string;
}

const mostConditions = 64;

/** Validates the match conditions of a policy or webhook. */
export function conditionErrors(
  conditions: readonly Condition[] | undefined,
  params: boolean,
  at: string,
): FieldError[] {
  const count = (conditions ?? []).length;
  const names = new Set<string>();
  return [
    ...(count > mostConditions ? [tooMany(at, count, mostConditions)] : []),
    ...check.eachItem(conditions, at, ({ name, expression }, path) => {
      const again = name !== "" && names.has(name);
      names.add(name);
      return [
        ...check.requiredText(`${path}.expression`, expression.trim(), (field, text) =>
          expressionErrors(field, text, () =>
            compilePolicyCel(text, { params, authorizer: true }, policyResults.condition),
          ),
        ),
        ...check.requiredText(`${path}.name`, name, check.qualifiedName),
        ...(again ? [duplicate(`${path}.name`, name)] : []),
      ];
    }),
  ];
}

/** Returns an error if an expression doesn't compile. */
export function expressionErrors(field: string, shown: string, compile: () => unknown): FieldError[] {
  try {
    compile();
    return [];
  } catch (error) {
    if (error instanceof CelProgramError) return [{ type: "InternalError", field, detail: error.message }];
    if (!(error instanceof CelCompileError)) throw error;
    return [invalid(field, shown, error.message)];
  }
}
