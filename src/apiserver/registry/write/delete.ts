import { conflict, notFound } from "../../errors/status.js";
import { equalJson } from "../../internal/json-value.js";
import type { ApiObject } from "../../objects/api-object.js";
import { formatTime, metaOf } from "../../objects/metadata.js";
import { printGoObject } from "../../schema/go-decode.js";
import { readObject, requestedKey } from "../read.js";
import type { ServedResource } from "../resources.js";
import { apiVersionOf, groupResourceOf } from "../resources.js";
import type { AdmissionAttributes, RegistryContext } from "../services.js";
import { admit, validateAdmission } from "./admission.js";
import { deleteVersion, storeChanged } from "./commit.js";

/** Validated options of a deletion. */
export interface DeleteRequest {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: "Orphan" | "Background" | "Foreground" | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly raw?: Readonly<Record<string, unknown>>;
  /** True if admission has allowed the request that leads to the deletion. Default: false. */
  readonly admitted?: boolean;
  /** True for one object of a deletecollection, where admission doesn't get its name. Default: false. */
  readonly collection?: boolean;
}

/** Result of a deletion. */
export interface Deleted {
  readonly object: ApiObject;
  /** True if the object is gone; false if it waits for finalizers or its grace period. */
  readonly gone: boolean;
  /** True if the object is empty: the response of a dry run that would have removed the last finalizer. */
  readonly blank?: boolean | undefined;
}

const collected = new Set(["orphan", "foregroundDeletion"]);

/** Returns the object's finalizers with those for the garbage collector added or removed. */
function finalizersFor(
  resource: ServedResource,
  finalizers: readonly string[],
  propagation: DeleteRequest["propagation"],
): string[] {
  if (resource.strategy.deletion?.garbageCollected === false) return [...finalizers];
  if (propagation === undefined)
    return resource.strategy.deletion?.orphansByDefault === true &&
      !finalizers.some((finalizer) => collected.has(finalizer))
      ? [...finalizers, "orphan"]
      : [...finalizers];
  const kept = finalizers.filter((finalizer) => !collected.has(finalizer));
  if (propagation === "Orphan") kept.push("orphan");
  if (propagation === "Foreground") kept.push("foregroundDeletion");
  // If the set is unchanged, the order is kept.
  const before = new Set(finalizers);
  return kept.length === finalizers.length && kept.every((name) => before.has(name)) ? [...finalizers] : kept;
}

/** Checks the preconditions of a deletion. Throws 409. */
export function checkPreconditions(resource: ServedResource, object: ApiObject, request: DeleteRequest): void {
  const { name = "", uid = "", resourceVersion = "" } = metaOf(object);
  // The store checks namespaces itself and names the resource, not the kind.
  const named = { group: resource.group, resource: resource.bucket === "/namespaces" ? "namespaces" : resource.kind };
  const check = (what: string, wanted: string | undefined, found: string): void => {
    if (wanted === undefined || wanted === found) return;
    throw conflict(
      named,
      name,
      `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found})`,
    );
  };
  check("UID", request.uid, uid);
  check("ResourceVersion", request.resourceVersion, resourceVersion);
}

/** Sets the fields of a graceful deletion and returns its progress. */
function grace(
  context: RegistryContext,
  resource: ServedResource,
  object: ApiObject,
  requestedSeconds: number | undefined,
): "no" | "begun" | "pending" {
  const { strategy } = resource;
  if (strategy.deletion?.gracePeriodSeconds === undefined) return "no";
  const meta = metaOf(object);
  const now = context.services.clock.now();
  if (meta.deletionTimestamp != null) {
    const period = meta.deletionGracePeriodSeconds ?? 0;
    if (period === 0) return "no";
    if (requestedSeconds === undefined || requestedSeconds >= period) return "pending";
    let shorter = requestedSeconds;
    let at = Date.parse(meta.deletionTimestamp) - period * 1000 + requestedSeconds * 1000;
    if (at < now) {
      at = now;
      if (shorter !== 0) shorter = 1;
    }
    meta.deletionTimestamp = formatTime(at);
    meta.deletionGracePeriodSeconds = shorter;
    return "begun";
  }
  const period = strategy.deletion.gracePeriodSeconds(object, requestedSeconds);
  meta.deletionTimestamp = formatTime(now + period * 1000);
  meta.deletionGracePeriodSeconds = period;
  if ((meta.generation ?? 0) > 0) meta.generation = meta.generation! + 1;
  return "begun";
}

function markDeleted(context: RegistryContext, object: ApiObject): void {
  const meta = metaOf(object);
  const now = context.services.clock.now();
  if (meta.deletionTimestamp == null && (meta.generation ?? 0) > 0) meta.generation = meta.generation! + 1;
  if (meta.deletionTimestamp == null || Date.parse(meta.deletionTimestamp) > now)
    meta.deletionTimestamp = formatTime(now);
  meta.deletionGracePeriodSeconds = 0;
}

/** A deletion without options. */
export const plainDelete: DeleteRequest = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagation: undefined,
  uid: undefined,
  resourceVersion: undefined,
};

/** Object to delete. */
export interface DeleteTarget {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
}

/** Deletes an object, at once or in two phases. */
export async function deleteObject(
  context: RegistryContext,
  { resource, namespace, name }: DeleteTarget,
  request: DeleteRequest,
): Promise<Deleted> {
  const loading = resource.load?.();
  if (loading !== undefined) await loading;
  const bucket = context.services.store.bucket(resource.bucket);
  const key = requestedKey(resource, namespace, name);
  for (;;) {
    const current = bucket.get(key);
    if (current === undefined) throw notFound(groupResourceOf(resource), name);
    await resource.converter?.prepare([current], true);
    const object = readObject(resource, current);
    const requestedSeconds =
      request.gracePeriodSeconds !== undefined && request.gracePeriodSeconds < 0 ? 1 : request.gracePeriodSeconds;
    checkPreconditions(resource, object, request);
    const attributes: AdmissionAttributes = {
      operation: "DELETE",
      resource,
      subresource: "",
      namespace,
      name: request.collection === true ? "" : name,
      object: undefined,
      old: readObject(resource, current),
      dryRun: request.dryRun,
      ...(request.raw === undefined ? {} : { options: request.raw }),
    };
    if (request.admitted !== true) {
      await admit(context, attributes);
      await validateAdmission(context, attributes);
    }
    if (bucket.get(key) !== current) continue;
    const own = resource.strategy.deletion?.begin?.(object, context.services.clock.now(), request.propagation);
    if (own !== undefined && own !== "proceed") {
      // Kinds with their own rule, such as namespaces: the object stays until its own finalizers are gone.
      const left =
        own === "unchanged" || request.dryRun
          ? object
          : await storeChanged(context, resource, { key, current }, object);
      if (left === undefined) continue;
      return { object: left, gone: false };
    }
    const graceful = grace(context, resource, object, requestedSeconds);
    if (graceful === "pending") return { object, gone: false };
    const meta = metaOf(object);
    const before = meta.finalizers ?? [];
    const finalizers = finalizersFor(resource, before, request.propagation);
    if (finalizers.length > 0) meta.finalizers = finalizers;
    else delete meta.finalizers;
    if (finalizers.length > 0 || (graceful === "begun" && (meta.deletionGracePeriodSeconds ?? 0) > 0)) {
      if (graceful === "no") markDeleted(context, object);
      if (request.dryRun || equalJson(metaOf(object), metaOf(readObject(resource, current))))
        return { object, gone: false };
      const marked = await storeChanged(context, resource, { key, current }, object);
      if (marked === undefined) continue;
      return { object: marked, gone: false };
    }
    const stored = readObject(resource, current);
    if (graceful === "no" && before.length > 0 && request.resourceVersion !== undefined)
      // Removing the last finalizers creates a new version, which can't match the precondition.
      throw conflict(groupResourceOf(resource), name, "the ResourceVersion in the precondition does not match");
    if (request.dryRun)
      return graceful === "begun"
        ? { object, gone: true }
        : before.length === 0
          ? { object: stored, gone: true }
          : { object: blankOf(resource), gone: true, blank: true };
    // Kinds with graceful deletion first store that it is over; others are removed unchanged, with their finalizers.
    const last = graceful === "begun" ? await storeChanged(context, resource, { key, current }, object) : stored;
    if (last === undefined) continue;
    const revision = deleteVersion(context, resource, key);
    return { object: { ...last, metadata: { ...last.metadata, resourceVersion: String(revision) } }, gone: true };
  }
}

function blankOf(resource: ServedResource): ApiObject {
  const { definition, kind } = resource;
  const typed = { apiVersion: apiVersionOf(resource), kind };
  return definition === undefined ? typed : { ...typed, metadata: {}, ...printGoObject(definition, {}) };
}
