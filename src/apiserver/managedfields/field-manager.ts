import { setOwn } from "../../internal/set-own.js";
import type { ManagedFieldsEntry } from "../../meta/object.js";
import { equalJson, type JsonObject } from "../internal/json-value.js";
import type { ApiObject } from "../objects/api-object.js";
import { equalButTimes } from "../objects/equal-but-times.js";
import { formatTime } from "../objects/metadata.js";
import { badApply, brokenApply } from "./apply-error.js";
import { type Comparison, withEqualMembers } from "./compare-typed.js";
import { type FieldScope, withoutResetFields } from "./field-scope.js";
import { isEmptyFieldSet, unionSets } from "./field-set.js";
import { fieldSetOfValue } from "./field-set-of.js";
import type { TypeRef } from "./field-type.js";
import { knownCreation, rememberCreation } from "./known-creations.js";
import { fieldsLastApplied, withLastApplied } from "./last-applied.js";
import { newFieldsExceed } from "./least-fields.js";
import {
  capUpdaters,
  decodeManagers,
  encodeManagers,
  isLonger,
  type Manager,
  type Managers,
  managerKey,
} from "./managers.js";
import { MergeError } from "./merge-error.js";
import { mergeTyped } from "./merge-typed.js";
import { addOwner, disown, type ObjectChange, ownable, reconcileManagers } from "./ownership.js";
import { pruneDropped } from "./prune.js";
import { fitsType, membersFit, typedErrors } from "./validate-typed.js";

/** A write other than an apply. */
export interface TrackedUpdate {
  readonly scope: FieldScope;
  /** Stored object in the request's version; `undefined` if it is being created. */
  readonly live: ApiObject | undefined;
  /** New object in the request's version. */
  readonly updated: ApiObject;
  /** Name of the field manager. */
  readonly manager: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Bytes that the managers may take. The object gets none if they take more. Default: any number. */
  readonly room?: number | undefined;
}

/** An apply. */
export interface AppliedConfiguration {
  readonly scope: FieldScope;
  /** Stored object in the request's version; `undefined` if it doesn't exist. */
  readonly live: ApiObject | undefined;
  /** Configuration from the request. */
  readonly config: JsonObject;
  /** Name of the field manager. */
  readonly manager: string;
  /** True to take over fields from other managers instead of failing with a conflict. */
  readonly force: boolean;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /**
   * Returns the result for a valid configuration that can't be stored, so that its fields need no owners; `undefined`
   * for others. Default: none.
   */
  readonly unstorable?: ((config: ApiObject) => ApiObject | undefined) | undefined;
}

/**
 * Determines the owners of all fields after a write and returns the updated object with `metadata.managedFields` set.
 * The request's own managedFields count only if they clear the list or are valid. The inputs stay unchanged.
 */
export function trackUpdate(update: TrackedUpdate): ApiObject {
  const { scope, live, updated } = update;
  const requested = requestedManagers(live, updated, scope.subresource !== "");
  const bare = withManagedFields(updated, undefined);
  if (requested.size === 0 && live !== undefined) return bare;
  const known = live === undefined ? knownCreation(bare, scope) : undefined;
  const old = live === undefined ? scope.empty() : withManagedFields(live, undefined);
  const now = known === undefined ? withEqualMembers(bare, old) : bare;
  const type = scope.type(scope.apiVersion);
  if (type === undefined) return bare;
  if (known === undefined) {
    if (!membersFit(old, type) || !fitsType(changedMembers(now, old), type)) return bare;
    if (update.room !== undefined && live === undefined && newFieldsExceed(now, old, scope, update.room)) return bare;
  }
  const { managers, change } = updateManagers({ old, updated: now, known }, requested, update);
  if (live === undefined && known === undefined) rememberCreation(bare, scope, change);
  if (update.room !== undefined && isLonger(managers, update.room)) return bare;
  return withManagedFields(bare, encodeManagers(managers));
}

/** Returns the top-level members of an object that aren't those of another one, whose members are known to be valid. */
function changedMembers(object: JsonObject, known: JsonObject): JsonObject {
  const changed: JsonObject = {};
  for (const name of Object.keys(object))
    if (!Object.hasOwn(known, name) || object[name] !== known[name]) setOwn(changed, name, object[name]);
  return changed;
}

/** Determines the managers after a change of objects without managers. */
function updateManagers(
  changed: ObjectChange,
  stored: Managers,
  update: Pick<TrackedUpdate, "scope" | "manager" | "nowMs">,
): { readonly managers: Managers; readonly change: Comparison } {
  const { scope } = update;
  const managers = reconcileManagers(stored, changed.old, scope);
  const change = disown(changed, managers, scope, { except: "", mayTake: "all" });
  const fields = ownable(unionSets(change.modified, change.added));
  if (!isEmptyFieldSet(fields)) {
    const manager = {
      name: update.manager === "" ? "unknown" : update.manager,
      operation: "Update",
      apiVersion: scope.apiVersion,
      subresource: scope.subresource,
      time: formatTime(update.nowMs),
    } as const;
    addOwner(managers, managerKey(manager), manager, fields);
  }
  capUpdaters(managers);
  return { managers, change };
}

/**
 * Merges a configuration into an object and returns the result with `metadata.managedFields` set. If nothing changes,
 * not even an owner, the result equals `live`. The inputs stay unchanged. Throws an `ApplyError`: 409 for conflicts,
 * 400 for a configuration of another kind or with managedFields, 500 for one that doesn't fit the schema.
 */
export function applyConfiguration(apply: AppliedConfiguration): ApiObject {
  const { scope } = apply;
  checkKind(apply.config, scope);
  const config = { ...apply.config, apiVersion: scope.apiVersion };
  const known = scope.type(scope.apiVersion);
  if (apply.live !== undefined && known !== undefined && (apply.live.metadata?.managedFields ?? []).length === 0)
    checkFits("the stored object", withManagedFields(apply.live, undefined), known, true);
  if (metadataOf(config)["managedFields"] !== undefined && metadataOf(config)["managedFields"] !== null)
    throw badApply("metadata.managedFields must be nil");
  const type = known;
  if (type === undefined) throw brokenApply(`no corresponding type for ${gvk(scope.apiVersion, scope.kind)}`);
  checkFits("the configuration", config, type, false);
  const unstorable = apply.unstorable?.(config);
  if (unstorable !== undefined) return unstorable;
  const live = withManagedFields(apply.live ?? scope.empty(), undefined);
  checkFits("the stored object", live, type, true);
  return merge({ ...apply, config }, live, type);
}

/** Throws an `ApplyError` with 500 if an object doesn't fit its type. */
function checkFits(what: string, object: JsonObject, type: TypeRef, allowDuplicates: boolean): void {
  if (allowDuplicates && fitsType(object, type)) return;
  const problem = typedErrors(object, type, { allowDuplicates });
  if (problem !== undefined) throw brokenApply(`${what} does not fit the schema of its kind: ${problem}`);
}

function merge(apply: AppliedConfiguration, live: ApiObject, type: TypeRef): ApiObject {
  const { scope, config } = apply;
  const managers = reconcileManagers(managersBeforeApply(apply, live), live, scope);
  let merged: ApiObject;
  try {
    merged = mergeTyped(live, config, type) as ApiObject;
  } catch (error) {
    if (error instanceof MergeError) throw brokenApply(`failed to merge config: ${error.message}`);
    throw error;
  }
  const identity = {
    name: apply.manager,
    operation: "Apply",
    apiVersion: scope.apiVersion,
    subresource: scope.subresource,
  } as const;
  const key = managerKey(identity);
  const last = managers.get(key);
  const manager: Manager = {
    ...identity,
    time: last?.time,
    fields: withoutResetFields(fieldSetOfValue(config, type), scope),
  };
  managers.set(key, manager);
  const result = pruneDropped(merged, last, managers, scope);
  disown({ old: live, updated: result }, managers, scope, {
    except: key,
    mayTake: apply.force ? "all" : () => fieldsLastApplied(live, apply.manager, scope.apiVersion, type),
  });
  const changed = !equalJson(live, result);
  const fields = ownable(manager.fields);
  if (isEmptyFieldSet(fields)) managers.delete(key);
  else managers.set(key, { ...manager, fields, time: changed ? formatTime(apply.nowMs) : last?.time });
  return withManagedFields(withLastApplied(changed ? result : live, config, apply.manager), encodeManagers(managers));
}

/** Assigns the fields that existed before the first apply to a separate manager. */
function managersBeforeApply(apply: AppliedConfiguration, live: ApiObject): Managers {
  const managers = decodeManagers(metadataOf(apply.live ?? {})["managedFields"] as ManagedFieldsEntry[] | undefined);
  if (managers === undefined) throw brokenApply("failed to decode managed fields");
  if (managers.size > 0) return managers;
  const change = { old: apply.scope.empty(), updated: live };
  return updateManagers(change, managers, { scope: apply.scope, manager: "before-first-apply", nowMs: apply.nowMs })
    .managers;
}

function checkKind(config: JsonObject, scope: FieldScope): void {
  const given = typeof config["apiVersion"] === "string" ? config["apiVersion"] : "";
  const unreadable = given.split("/").length > 2;
  // A version without a group may start with a slash; an invalid version gives no type.
  const apiVersion = unreadable ? "" : given.replace(/^\/(?=[^/]+$)/, "");
  const kind = typeof config["kind"] === "string" && !unreadable ? config["kind"] : "";
  if (apiVersion !== scope.apiVersion || kind !== scope.kind)
    throw badApply(`invalid object type: ${gvk(apiVersion, kind)}`);
}

/** Formats a kind the way Go does: `apps/v1, Kind=Deployment`. */
function gvk(apiVersion: string, kind: string): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/**
 * Returns the managers to start from: those in the request if they are valid and allowed, otherwise the stored ones.
 */
function requestedManagers(live: ApiObject | undefined, updated: ApiObject, subresource: boolean): Managers {
  const stored = (): Managers => decodeManagers(live?.metadata?.managedFields) ?? new Map<string, Manager>();
  if (subresource) return stored();
  const requested = updated.metadata?.managedFields as ManagedFieldsEntry[] | null | undefined;
  if (clearsManagers(requested)) return new Map();
  const managers = decodeManagers(requested ?? undefined);
  return managers === undefined || managers.size === 0 ? stored() : managers;
}

function clearsManagers(requested: readonly ManagedFieldsEntry[] | null | undefined): boolean {
  if (requested === undefined || requested === null) return false;
  return (
    requested.length === 0 ||
    (requested.length === 1 &&
      Object.values(requested[0] ?? {}).every((value) => value === undefined || value === null || value === ""))
  );
}

/** Returns the object with other managedFields; shares everything else. */
export function withManagedFields(object: ApiObject, entries: ManagedFieldsEntry[] | undefined): ApiObject {
  if (entries !== undefined) return { ...object, metadata: { ...object.metadata, managedFields: entries } };
  const { managedFields: _old, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

/** Restores the managers' times if the update changes nothing else, so that it has no effect. */
export function withoutTimeChanges(updated: ApiObject, live: ApiObject): ApiObject {
  const now = updated.metadata?.managedFields ?? [];
  const old = live.metadata?.managedFields ?? [];
  if (now.length === 0 || now.every((entry, at) => entry.time === old[at]?.time)) return updated;
  return equalButTimes(updated, live) ? withManagedFields(updated, old) : updated;
}

function metadataOf(object: JsonObject | ApiObject): JsonObject {
  const metadata = (object as JsonObject)["metadata"];
  return typeof metadata === "object" && metadata !== null && !Array.isArray(metadata) ? (metadata as JsonObject) : {};
}
