import type { ApiObject } from "../objects/api-object.js";
import { type FieldScope, inVersion } from "./field-scope.js";
import { type FieldSet, intersectSets, isEmptyFieldSet, subtractSets, unionSets } from "./field-set.js";
import { fieldSetOfValue } from "./field-set-of.js";
import type { TypeRef } from "./field-type.js";
import type { Manager, Managers } from "./managers.js";
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
  if (last === undefined || isEmptyFieldSet(last.fields)) return merged;
  const start = inVersion(merged, last.apiVersion, scope);
  if (start === undefined) return merged;
  const { object, type } = start;
  const first = removeItems(object, withNamedMembers(last.fields, type), type) as ApiObject;
  const kept = keepOwned({ merged: object, pruned: first }, last.apiVersion, managers, scope);
  const pruned = keepDangling({ merged: object, pruned: kept }, last, type, scope);
  return inVersion(pruned, scope.apiVersion, scope)?.object ?? pruned;
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
  const all = withNamedMembers(fieldSetOfValue(merged.object, type), type);
  const left = withNamedMembers(fieldSetOfValue(pruned.object, type), type);
  const dropped = subtractSets(all, unionSets(left, withNamedMembers(owned, type)));
  return { merged: merged.object, pruned: removeItems(merged.object, dropped, type) as ApiObject };
}

/** Restores the fields that the applier never owned. */
function keepDangling({ merged, pruned }: Pair, last: Manager, type: TypeRef, scope: FieldScope): ApiObject {
  const converted = inVersion(pruned, last.apiVersion, scope);
  if (converted === undefined) return merged;
  const left = withNamedMembers(fieldSetOfValue(converted.object, type), type);
  const all = withNamedMembers(fieldSetOfValue(merged, type), type);
  return removeItems(
    merged,
    intersectSets(subtractSets(all, left), withNamedMembers(last.fields, type)),
    type,
  ) as ApiObject;
}
