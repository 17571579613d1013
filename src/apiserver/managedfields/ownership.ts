import { words } from "../internal/words.js";
import type { ApiObject } from "../objects/api-object.js";
import { type Conflict, conflictError } from "./apply-error.js";
import { type Comparison, compareTyped } from "./compare-typed.js";
import { type FieldScope, inVersion, withoutResetFields } from "./field-scope.js";
import {
  type FieldSet,
  fieldSetOf,
  intersectSets,
  isEmptyFieldSet,
  sharedSet,
  subtractSets,
  unionSets,
} from "./field-set.js";
import type { Manager, Managers } from "./managers.js";
import { reconcileWithType } from "./named-members.js";

/** Fields without an owner: those that identify the object or that the server sets. */
const unowned: FieldSet = fieldSetOf(
  ["apiVersion"],
  ["kind"],
  ["metadata"],
  ...words("name namespace creationTimestamp selfLink uid clusterName generation managedFields resourceVersion").map(
    (name) => ["metadata", name],
  ),
);

/** Removes the fields that can't have an owner. */
export function ownable(set: FieldSet): FieldSet {
  return subtractSets(set, unowned);
}

/**
 * Adjusts every manager's fields to the current schema and drops managers of versions that are gone. Throws an
 * `ApplyError` with 500 if the live object doesn't fit a manager's version.
 */
export function reconcileManagers(managers: Managers, live: ApiObject, scope: FieldScope): Managers {
  const result: Managers = new Map();
  for (const [key, manager] of managers) {
    const versioned = inVersion(live, manager.apiVersion, scope);
    if (versioned === undefined) continue;
    const fields = reconcileWithType(manager.fields, versioned.type);
    result.set(key, fields === manager.fields ? manager : { ...manager, fields });
  }
  return result;
}

/** An object before and after a write. */
export interface ObjectChange {
  readonly old: ApiObject;
  readonly updated: ApiObject;
  /** Their comparison in the version of the request, if it is known. */
  readonly known?: Comparison | undefined;
}

/**
 * Removes changed and deleted fields from all managers except `except`. Changed fields are conflicts, except for those
 * that `mayTake` returns; it is called at the first conflict.
 */
export function disown(
  change: ObjectChange,
  managers: Managers,
  scope: FieldScope,
  options: { readonly except: string; readonly mayTake: "all" | (() => FieldSet) },
): Comparison {
  const comparisons = new Map<string, Comparison | undefined>();
  if (change.known !== undefined) comparisons.set(scope.apiVersion, change.known);
  const comparison = compareVersions(change, scope.apiVersion, scope, comparisons) ?? {
    removed: {},
    modified: {},
    added: {},
  };
  const conflicts: Conflict[] = [];
  const removed: [string, FieldSet][] = [];
  for (const [key, manager] of managers) {
    if (key === options.except) continue;
    const compared = compareVersions(change, manager.apiVersion, scope, comparisons);
    if (compared === undefined) {
      managers.delete(key);
      continue;
    }
    const taken = intersectSets(manager.fields, unionSets(compared.modified, compared.added));
    if (!isEmptyFieldSet(taken)) conflicts.push({ manager, fields: taken });
    if (!isEmptyFieldSet(taken) || !isEmptyFieldSet(compared.removed))
      removed.push([key, unionSets(taken, compared.removed)]);
  }
  if (options.mayTake !== "all" && conflicts.length > 0) {
    const allowed = options.mayTake();
    const refused = conflicts
      .map(({ manager, fields }) => ({ manager, fields: subtractSets(fields, allowed) }))
      .filter(({ fields }) => !isEmptyFieldSet(fields));
    if (refused.length > 0) throw conflictError(refused);
  }
  for (const [key, fields] of removed) {
    const manager = managers.get(key);
    if (manager !== undefined) managers.set(key, { ...manager, fields: subtractSets(manager.fields, fields) });
  }
  for (const [key, manager] of managers) if (isEmptyFieldSet(manager.fields)) managers.delete(key);
  return comparison;
}

function compareVersions(
  { old, updated }: ObjectChange,
  apiVersion: string,
  scope: FieldScope,
  cache: Map<string, Comparison | undefined>,
): Comparison | undefined {
  if (cache.has(apiVersion)) return cache.get(apiVersion);
  const left = inVersion(old, apiVersion, scope);
  const right = inVersion(updated, apiVersion, scope);
  let comparison: Comparison | undefined;
  if (left !== undefined && right !== undefined) {
    const raw = compareTyped(left.object, right.object, left.type);
    comparison = {
      removed: withoutResetFields(sharedSet(raw.removed), scope),
      modified: withoutResetFields(sharedSet(raw.modified), scope),
      added: withoutResetFields(sharedSet(raw.added), scope),
    };
  }
  cache.set(apiVersion, comparison);
  return comparison;
}

/** Adds the fields that a write changed to its manager. */
export function addOwner(managers: Managers, key: string, manager: Omit<Manager, "fields">, fields: FieldSet): void {
  const previous = managers.get(key);
  const { name, operation, apiVersion, subresource, time } = manager;
  const owned = previous === undefined ? fields : unionSets(fields, previous.fields);
  managers.set(key, { name, operation, apiVersion, subresource, time, fields: owned });
}
