import { encodeJson } from "../../codec/json/encode.js";
import { getApiVersion, type Kind } from "../../meta/kind.js";
import type { KubernetesObject } from "../../meta/object.js";
import type { DeleteOptions, ListOptions, WatchOptions, WriteOptions } from "../../meta/options.js";
import type { Query } from "../call/query.js";
import type { Call, CallDefaults } from "../call/requester.js";
import type { Encodings } from "./encodings.js";
import { checkFieldManager } from "./field-manager.js";
import type { ObjectView } from "./views.js";

/** Collection that calls address, and the representation in which its objects are requested. */
export interface CallTarget {
  readonly kind: Kind;
  readonly namespaceName: string | undefined;
  /** Description of the collection for messages. */
  readonly description: string;
  /** Path of the collection. */
  readonly path: string;
  readonly view: ObjectView;
  /** True if responses are objects of the kind; those of most subresources aren't. */
  readonly ofKind: boolean;
  readonly encodings: Encodings;
}

/** Names the target's collection and its representation; unique for one client. */
export function cacheKeyOf({ path, view }: CallTarget, subresource?: string): string {
  return JSON.stringify([path, subresource ?? null, view.name, view.query ?? null]);
}

/** Builds the call for one list. */
export function listCall(target: CallTarget, verb: string, options: ListOptions): Call {
  const { view } = target;
  return {
    action: `${verb} ${target.description}`,
    method: "GET",
    path: target.path,
    query: {
      ...selectors(options),
      limit: options.limit === 0 ? undefined : options.limit,
      continue: options.continue,
      resourceVersion: options.resourceVersion,
      resourceVersionMatch: options.resourceVersionMatch,
      timeoutSeconds: options.timeoutSeconds,
      ...view.query,
    },
    accept: view.accept(target.encodings.mediaTypes, "list"),
    repeat: "read",
    options,
  };
}

/** Builds the call for one watch. `view` is the watch's own view, which may differ from the target's. */
export function watchCall(target: CallTarget, action: string, view: ObjectView, options: WatchOptions): Call {
  return {
    action,
    method: "GET",
    path: target.path,
    query: {
      watch: "1",
      ...selectors(options),
      resourceVersion: options.resourceVersion,
      resourceVersionMatch: options.resourceVersionMatch,
      allowWatchBookmarks: options.allowWatchBookmarks,
      sendInitialEvents: options.sendInitialEvents,
      timeoutSeconds: options.timeoutSeconds,
      ...view.query,
    },
    accept: view.accept(target.encodings.mediaTypes, "watch"),
    repeat: "read",
    stream: true,
    options,
  };
}

/** Builds the query of a write. `safe`: the request may be repeated because the server detects a repetition. */
export function writeParameters(
  defaults: CallDefaults,
  options: WriteOptions,
  safe = false,
): { query: Query; repeat: Call["repeat"] } {
  const dryRun = options.dryRun ?? defaults.dryRun;
  const fieldManager = options.fieldManager ?? defaults.fieldManager;
  if (fieldManager !== undefined) checkFieldManager(fieldManager);
  return {
    query: { dryRun, fieldManager, fieldValidation: options.fieldValidation ?? defaults.fieldValidation },
    repeat: safe || dryRun !== undefined ? "write" : "once",
  };
}

/** Builds the body of a deletion; absent if no option is set. Throws a `RangeError` for an invalid grace period. */
export function deletionParameters(
  defaults: CallDefaults,
  options: DeleteOptions,
): { body?: NonNullable<Call["body"]>; repeat: Call["repeat"] } {
  const {
    gracePeriodSeconds,
    propagationPolicy,
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the API still has it
    orphanDependents,
    preconditions,
    ignoreStoreReadErrorWithClusterBreakingPotential,
  } = options;
  const dryRun = options.dryRun ?? defaults.dryRun;
  if (gracePeriodSeconds !== undefined && !Number.isSafeInteger(gracePeriodSeconds))
    throw new RangeError(`gracePeriodSeconds must be an integer, not ${gracePeriodSeconds}`);
  const repeat = dryRun !== undefined || preconditions?.uid !== undefined ? "write" : "once";
  const fields = {
    gracePeriodSeconds,
    propagationPolicy,
    orphanDependents,
    preconditions,
    ignoreStoreReadErrorWithClusterBreakingPotential,
    dryRun: dryRun === undefined ? undefined : [dryRun],
  };
  if (Object.values(fields).every((value) => value === undefined)) return { repeat };
  return {
    repeat,
    body: {
      bytes: encodeJson({ apiVersion: "v1", kind: "DeleteOptions", ...fields }),
      contentType: "application/json",
    },
  };
}

/**
 * Returns the object with `apiVersion` and `kind`, which items of lists lack and custom resources need. Throws a
 * `TypeError` if it isn't an object.
 */
export function withKind(object: object, { kind: ofKind, description }: CallTarget): object {
  checkIsObject(object, description);
  const { apiVersion, kind } = object as KubernetesObject;
  if (apiVersion !== undefined && kind !== undefined) return object;
  return { ...object, apiVersion: apiVersion ?? getApiVersion(ofKind), kind: kind ?? ofKind.kind };
}

/** Throws a `TypeError` for anything but an object. */
export function checkIsObject(value: unknown, description: string): void {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  const found = value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
  throw new TypeError(`${description}: expected an object, not ${found}`);
}

function selectors(options: ListOptions | WatchOptions): Query {
  return {
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    shardSelector: options.shardSelector,
  };
}
