import { trimEnd } from "../../internal/trim-end.js";
import type { AuthorizationAttributes } from "./attributes.js";

/** A rule of a role. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** True if the rule allows the action. */
export function ruleAllows(rule: PolicyRule, action: AuthorizationAttributes): boolean {
  if (!hasOrAll(rule.verbs, action.verb)) return false;
  if (!action.isResource) return (rule.nonResourceURLs ?? []).some((pattern) => matchesPath(pattern, action.path));
  if (!hasOrAll(rule.apiGroups, action.group)) return false;
  if (!matchesResource(rule.resources ?? [], action.resource, action.subresource)) return false;
  const names = rule.resourceNames ?? [];
  return names.length === 0 || names.includes(action.name);
}

function hasOrAll(values: readonly string[] | undefined, wanted: string): boolean {
  return values !== undefined && (values.includes("*") || values.includes(wanted));
}

function matchesResource(resources: readonly string[], resource: string, subresource: string): boolean {
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  return resources.some(
    (pattern) => pattern === "*" || pattern === combined || (subresource !== "" && pattern === `*/${subresource}`),
  );
}

function matchesPath(pattern: string, path: string): boolean {
  if (pattern === "*" || pattern === path) return true;
  return pattern.endsWith("*") && path.startsWith(trimEnd(pattern, "*"));
}

/** Maximum number of single rights that a rule is split into: their number is the product of the lengths of its lists. */
const maxRights = 20_000;

/**
 * Returns the part of `wanted` that `held` doesn't cover, split into single rights. A rule of more than 20,000 single
 * rights isn't split: it's missing as a whole unless one rule covers it.
 */
export function missingRights(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap((rule) => {
    if (countRights(rule) <= maxRights)
      return breakDown(rule).filter((right) => !held.some((each) => covers(each, right)));
    const { resourceNames = [], ...rest } = rule;
    const whole = resourceNames.length === 0 ? rest : rule;
    return held.some((each) => covers(each, whole)) ? [] : [rule];
  });
}

function countRights({ apiGroups, resources, resourceNames, nonResourceURLs, verbs }: PolicyRule): number {
  const places = (apiGroups?.length ?? 0) * (resources?.length ?? 0) * Math.max(1, resourceNames?.length ?? 0);
  return (places + (nonResourceURLs?.length ?? 0)) * verbs.length;
}

function breakDown(rule: PolicyRule): PolicyRule[] {
  const rights: PolicyRule[] = [];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs) {
        const right = { apiGroups: [group], resources: [resource], verbs: [verb] };
        const names = rule.resourceNames ?? [];
        if (names.length === 0) rights.push(right);
        else for (const name of names) rights.push({ ...right, resourceNames: [name] });
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? []) {
    for (const verb of rule.verbs) rights.push({ nonResourceURLs: [url], verbs: [verb] });
  }
  return rights;
}

/** True if the rule covers a single right. */
function covers(rule: PolicyRule, right: PolicyRule): boolean {
  const all = (held: readonly string[] | undefined, action: readonly string[] | undefined): boolean =>
    (action ?? []).every((value) => held?.includes("*") === true || held?.includes(value) === true);
  const resources = (right.resources ?? []).every((path) => {
    const held = rule.resources ?? [];
    if (held.includes("*") || held.includes(path)) return true;
    const slash = path.indexOf("/");
    return slash >= 0 && held.includes(`*/${path.slice(slash + 1)}`);
  });
  const urls = (right.nonResourceURLs ?? []).every((url) =>
    (rule.nonResourceURLs ?? []).some((pattern) => matchesPath(pattern, url)),
  );
  const heldNames = rule.resourceNames ?? [];
  const names =
    right.resourceNames === undefined
      ? heldNames.length === 0
      : heldNames.length === 0 || right.resourceNames.every((name) => heldNames.includes(name));
  return all(rule.verbs, right.verbs) && all(rule.apiGroups, right.apiGroups) && resources && urls && names;
}
