import { isJsonObject } from "../../internal/json-value.js";
import type { ApiObject } from "../../objects/api-object.js";
import type { RegistryContext } from "../services.js";

/** Drops duplicate owner references, with a warning. */
export function dropDuplicateOwners(context: RegistryContext, object: ApiObject): void {
  const owners = object.metadata?.ownerReferences;
  if (owners === undefined || owners.length < 2) return;
  const kept = new Map<string, (typeof owners)[number]>();
  const twice = new Set<string>();
  let last: (typeof owners)[number] | undefined;
  for (const owner of owners) {
    // Hostile bodies repeat one owner a million times.
    if (last !== undefined && isSameOwner(owner, last)) {
      twice.add(owner.uid);
      continue;
    }
    last = owner;
    const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = owner;
    const key = JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion]);
    if (kept.has(key)) twice.add(owner.uid);
    else kept.set(key, owner);
  }
  if (twice.size === 0) return;
  object.metadata!.ownerReferences = [...kept.values()];
  context.warn(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...twice].join(", ")}`,
  );
}

type Owner = NonNullable<NonNullable<ApiObject["metadata"]>["ownerReferences"]>[number];

function isSameOwner(a: Owner, b: Owner): boolean {
  return (
    a.uid === b.uid &&
    a.name === b.name &&
    a.kind === b.kind &&
    a.apiVersion === b.apiVersion &&
    a.controller === b.controller &&
    a.blockOwnerDeletion === b.blockOwnerDeletion
  );
}

const ownerFields = new Set(["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"]);

/**
 * Returns the owner references of a body that isn't decoded yet, with two of each run of equal ones, so that their
 * duplicates are found later. Hostile bodies repeat one a million times.
 */
export function withoutRuns(owners: readonly unknown[]): readonly unknown[] {
  return owners.filter(
    (owner, at) => at < 2 || !isRepeated(owner, owners[at - 1]) || !isRepeated(owner, owners[at - 2]),
  );
}

function isRepeated(owner: unknown, before: unknown): boolean {
  if (!isJsonObject(owner) || !isJsonObject(before)) return false;
  const keys = Object.keys(owner);
  return (
    keys.length === Object.keys(before).length &&
    keys.every((key) => ownerFields.has(key) && typeof owner[key] !== "object" && owner[key] === before[key])
  );
}
