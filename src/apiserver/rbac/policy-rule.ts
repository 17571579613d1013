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
  return pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, ""));
}

/** Returns the part of `wanted` that `held` doesn't cover, split into single rights. */
export function missingRights(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDown).filter((right) => !held.some((rule) => covers(rule, right)));
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
