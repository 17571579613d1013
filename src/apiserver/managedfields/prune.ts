import type { ApiObject } from "../objects/api-object.js";
import { type FieldScope, inVersion } from "./field-scope.js";
import { type FieldSet, intersectSets, isEmptyFieldSet, subtractSets, unionSets } from "./field-set.js";
import { fieldSetOfValue } from "./field-set-of.js";
import type { TypeRef } from "./field-type.js";
import { type Manager, type Managers, managerKey } from "./managers.js";
import { withNamedMembers } from "./named-members.js";
import { removeItems } from "./remove-items.js";

interface Pair {
  readonly merged: ApiObject;
  readonly pruned: ApiObject;
}

/**
 * Removes fields that an applier applied last time but not now, unless another manager owns them. `managers` already
 * contains what it applies now.
 */
export function pruneDropped(
  merged: ApiObject,
  last: Manager | undefined,
  managers: Managers,
  scope: FieldScope,
): ApiObject {
  if (last === undefined || isEmptyFieldSet(last.fields) || appliesAll(last, managers)) return merged;
  const start = inVersion(merged, last.apiVersion, scope);
  if (start === undefined) return merged;
  const { object, type } = start;
  const first = removeItems(object, withNamedMembers(last.fields, type), type) as ApiObject;
  const kept = keepOwned({ merged: object, pruned: first }, last.apiVersion, managers, scope);
  const pruned = keepDangling({ merged: object, pruned: kept }, last, type, scope);
  return inVersion(pruned, scope.apiVersion, scope)?.object ?? pruned;
}

/** True if an applier still applies all that it applied last time, so that nothing of it can be dropped. */
function appliesAll(last: Manager, managers: Managers): boolean {
  for (const { apiVersion } of managers.values()) if (apiVersion !== last.apiVersion) return false;
  return isEmptyFieldSet(subtractSets(last.fields, managers.get(managerKey(last))!.fields));
}

/** Fields of the objects that an apply compares. These aren't changed. */
const fieldsOf = new WeakMap<ApiObject, { readonly type: TypeRef; readonly fields: FieldSet }>();

function namedFieldsOf(object: ApiObject, type: TypeRef): FieldSet {
  const known = fieldsOf.get(object);
  if (known?.type === type) return known.fields;
  const fields = withNamedMembers(fieldSetOfValue(object, type), type);
  fieldsOf.set(object, { type, fields });
  return fields;
}

/** Restores the fields that managers own, starting with the version of the last apply. */
function keepOwned(pair: Pair, lastVersion: string, managers: Managers, scope: FieldScope): ApiObject {
  const owned = new Map<string, FieldSet>();
  for (const manager of managers.values())
    owned.set(manager.apiVersion, unionSets(owned.get(manager.apiVersion) ?? {}, manager.fields));
  const versions = [...owned.keys()].sort((a, b) => Number(b === lastVersion) - Number(a === lastVersion));
  let current = pair;
  for (const version of versions) current = keepOwnedIn(current, version, owned.get(version) ?? {}, scope);
  return current.pruned;
}

function keepOwnedIn(pair: Pair, version: string, owned: FieldSet, scope: FieldScope): Pair {
  const merged = inVersion(pair.merged, version, scope);
  const pruned = inVersion(pair.pruned, version, scope);
  if (merged === undefined || pruned === undefined) return pair;
  const { type } = merged;
  const all = namedFieldsOf(merged.object, type);
  const left = namedFieldsOf(pruned.object, type);
  const dropped = subtractSets(all, unionSets(left, withNamedMembers(owned, type)));
  return { merged: merged.object, pruned: removeItems(merged.object, dropped, type) as ApiObject };
}

/** Restores the fields that the applier never owned. */
function keepDangling({ merged, pruned }: Pair, last: Manager, type: TypeRef, scope: FieldScope): ApiObject {
  const converted = inVersion(pruned, last.apiVersion, scope);
  if (converted === undefined) return merged;
  const dropped = subtractSets(namedFieldsOf(merged, type), namedFieldsOf(converted.object, type));
  return removeItems(merged, intersectSets(dropped, withNamedMembers(last.fields, type)), type) as ApiObject;
}
