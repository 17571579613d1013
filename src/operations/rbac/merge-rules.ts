import type { PolicyRule } from "../../kinds/rbac/v1.js";
import type { NeededRight } from "./audited-request.js";

const verbOrder = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

/** Combines rights to as few rules as possible, in a stable order, and allows nothing else. */
export function mergeRules(rights: readonly NeededRight[]): PolicyRule[] {
  /** Verbs by resource and name, and by path. */
  const verbs = new Map<string, { readonly target: NeededRight["target"]; readonly verbs: Set<string> }>();
  for (const { target, verb } of rights) {
    const key = JSON.stringify("path" in target ? [target.path] : [target.group, target.resource, target.name ?? null]);
    const known = verbs.get(key);
    if (known === undefined) verbs.set(key, { target, verbs: new Set([verb]) });
    else known.verbs.add(verb);
  }
  for (const { target, verbs: own } of verbs.values()) {
    if ("path" in target || target.name === undefined) continue;
    // A verb for all objects of the resource covers a single one.
    const all = verbs.get(JSON.stringify([target.group, target.resource, null]));
    for (const verb of all?.verbs ?? []) own.delete(verb);
  }
  return combine([...verbs.values()].filter((each) => each.verbs.size > 0));
}

function combine(
  entries: readonly { readonly target: NeededRight["target"]; readonly verbs: ReadonlySet<string> }[],
): PolicyRule[] {
  const paths = new Map<string, { verbs: string[]; paths: string[] }>();
  const named = new Map<string, { group: string; resource: string; verbs: string[]; names: string[] }>();
  for (const { target, verbs } of entries) {
    const sorted = sortVerbs(verbs);
    if ("path" in target) {
      const rule = at(paths, JSON.stringify(sorted), () => ({ verbs: sorted, paths: [] }));
      rule.paths.push(target.path);
      continue;
    }
    const { group, resource, name } = target;
    const key = JSON.stringify([group, resource, sorted, name === undefined]);
    const rule = at(named, key, () => ({ group, resource, verbs: sorted, names: [] }));
    if (name !== undefined) rule.names.push(name);
  }
  const resources = new Map<
    string,
    Required<Pick<PolicyRule, "apiGroups" | "resources" | "verbs">> & { names: string[] }
  >();
  for (const { group, resource, verbs, names } of named.values()) {
    names.sort();
    const rule = at(resources, JSON.stringify([group, verbs, names]), () => ({
      apiGroups: [group],
      resources: [],
      verbs,
      names,
    }));
    rule.resources!.push(resource);
  }
  const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  return [
    ...Array.from(resources.values(), ({ names, resources: list, ...rule }) => ({
      apiGroups: rule.apiGroups!,
      resources: list!.sort(),
      ...(names.length > 0 && { resourceNames: names }),
      verbs: rule.verbs,
    })).sort(byText),
    ...Array.from(paths.values(), ({ verbs, paths: list }) => ({ nonResourceURLs: list.sort(), verbs })).sort(byText),
  ];
}

function at<T>(map: Map<string, T>, key: string, create: () => T): T {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = create()));
  return value;
}

/** Sorts verbs in the usual order; others follow by name. */
function sortVerbs(verbs: ReadonlySet<string>): string[] {
  const rank = (verb: string): number => (verbOrder.includes(verb) ? verbOrder.indexOf(verb) : verbOrder.length);
  return [...verbs].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
