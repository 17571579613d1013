import type { ManagedFieldsEntry } from "../../meta/object.js";
import { equalJson, type JsonObject } from "../internal/json-value.js";
import type { ApiObject } from "./api-object.js";

/** Returns true if two objects differ at most in the times of `managedFields` and in their `resourceVersion`. */
export function equalButTimes(a: ApiObject, b: ApiObject): boolean {
  return (
    // Most changes are in the status or the metadata, and the comparison of a spec takes longest.
    equalJson(a["status"], b["status"]) &&
    equalMembers(a.metadata ?? {}, b.metadata ?? {}, versionAndManagers) &&
    equalMembers(a, b, metadataAndStatus) &&
    equalManagers(a.metadata?.managedFields ?? [], b.metadata?.managedFields ?? [])
  );
}

const metadataAndStatus: ReadonlySet<string> = new Set(["metadata", "status"]);
const versionAndManagers: ReadonlySet<string> = new Set(["resourceVersion", "managedFields"]);
const time: ReadonlySet<string> = new Set(["time"]);

function equalManagers(a: readonly ManagedFieldsEntry[], b: readonly ManagedFieldsEntry[]): boolean {
  return a.length === b.length && a.every((entry, at) => entry === b[at] || equalMembers(entry, b[at]!, time));
}

/** Returns true if two objects have equal members, apart from those in `except`. */
function equalMembers(a: object, b: object, except: ReadonlySet<string>): boolean {
  const [left, right] = [a as JsonObject, b as JsonObject];
  for (const key of Object.keys(left)) if (!except.has(key) && !equalJson(left[key], right[key])) return false;
  return Object.keys(right).every((key) => except.has(key) || right[key] === undefined || Object.hasOwn(left, key));
}
