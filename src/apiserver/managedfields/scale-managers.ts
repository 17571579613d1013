import type { ManagedFieldsEntry } from "../../meta/object.js";
import { type FieldPath, type FieldSet, fieldSetOf, hasPath, isEmptyFieldSet, subtractSets } from "./field-set.js";
import { decodeManagers, encodeManagers, type Manager, type Managers } from "./managers.js";

const scaleVersion = "autoscaling/v1";
const replicas: FieldSet = fieldSetOf(["spec", "replicas"]);
const replicasPath: FieldPath = ["f:spec", "f:replicas"];

/** Path of the replicas in each version of the scaled object, by `apiVersion`. */
export type ReplicasPaths = ReadonlyMap<string, readonly string[]>;

/** Returns the managers that a Scale shows: those that own the replicas. `undefined` if the entries are invalid. */
export function scaleManagers(
  entries: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const managers = decodeManagers(entries);
  if (managers === undefined) return undefined;
  const result: Managers = new Map();
  for (const [key, manager] of managers) {
    const path = paths.get(manager.apiVersion);
    if (path !== undefined && hasPath(manager.fields, toFieldPath(path)))
      result.set(key, { ...manager, apiVersion: scaleVersion, fields: replicas });
  }
  return encodeManagers(result);
}

/** Returns the object's managers after a write to its Scale. */
export function managersAfterScale(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  apiVersion: string,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const old = decodeManagers(parent) ?? new Map<string, Manager>();
  // Like upstream: keys of updates contain the version, so an updater of the object itself is never found again.
  const now = decodeManagers(scale) ?? new Map<string, Manager>();
  const result: Managers = new Map();
  for (const [key, manager] of old) {
    const path = paths.get(manager.apiVersion);
    if (path === undefined) continue;
    if (!hasPath(manager.fields, toFieldPath(path)) || now.delete(key)) {
      result.set(key, manager);
      continue;
    }
    const fields = subtractSets(manager.fields, fieldSetOf(path));
    if (!isEmptyFieldSet(fields)) result.set(key, { ...manager, fields });
  }
  for (const [key, manager] of now) {
    if (!hasPath(manager.fields, replicasPath)) continue;
    // Like upstream: a new owner has no time, because it is looked up among the object's old managers.
    result.set(key, {
      ...manager,
      apiVersion,
      time: old.get(key)?.time,
      fields: fieldSetOf(paths.get(apiVersion) ?? []),
    });
  }
  return encodeManagers(result);
}

function toFieldPath(names: readonly string[]): FieldPath {
  return names.map((name) => `f:${name}`);
}
