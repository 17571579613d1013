import type { ManagedFieldsEntry } from "../../meta/object.js";
import { type FieldPath, type FieldSet, fieldSetOf, hasPath, isEmptyFieldSet, subtractSets } from "./field-set.js";
import { decodeManagers, encodeManagers, type Manager, type Managers } from "./managers.js";

const scaleVersion = "autoscaling/v1";
const replicas: FieldSet = fieldSetOf(["spec", "replicas"]);
const replicasPath: FieldPath = ["f:spec", "f:replicas"];

/** Where each version of the scaled object keeps its replicas: member names by `apiVersion`. */
export type ReplicasPaths = ReadonlyMap<string, readonly string[]>;

/** The managers of an object as its scale shows them: those that own the replicas. Undefined if the entries are invalid. */
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

/** The managers of an object after a write to its scale, from those the scale had after it. */
export function managersAfterScale(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  apiVersion: string,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const old = decodeManagers(parent) ?? new Map<string, Manager>();
  // The keys of updates hold the version, so an updater of the object itself is never found again: upstream has it so.
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
    // A new owner has no time: upstream looks it up among the object's old managers.
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
