import { setOwn } from "../../internal/set-own.js";
import { cloneJson, getOwn, isJsonObject, type JsonObject } from "../internal/json-value.js";
import { PatchError } from "./patch-error.js";
import { checkMergeKeys, requireMergeKeys, typeOf, unexpectedType } from "./strategic-elements.js";
import { elementKind, mergeLists, removeFromList } from "./strategic-lists.js";
import { orderMerged } from "./strategic-order.js";
import {
  lookUpPatchMeta,
  type PatchMeta,
  type StrategicSchema,
  type StrategicSchemaResolver,
} from "./strategic-schema.js";

const deletePrefix = "$deleteFromPrimitiveList";
const orderPrefix = "$setElementOrder";

/**
 * Applies a strategic merge patch to an object of a built-in kind and returns a new object. Modifies the patch.
 * `schema` defines which lists merge and by which key. Supports all directives: `$patch`, `$retainKeys`,
 * `$setElementOrder/<list>` and `$deleteFromPrimitiveList/<list>`.
 *
 * Throws a `PatchError`: code 400 for malformed directives, 422 for lists of lists, 500 for errors that kube-apiserver
 * reports as internal.
 */
export function applyStrategicMergePatch(
  document: JsonObject,
  patch: JsonObject,
  schema: StrategicSchema,
  resolve: StrategicSchemaResolver,
): JsonObject {
  return mergeMaps(cloneJson(document), patch, { schema, resolve });
}

interface Context {
  readonly schema: StrategicSchema;
  readonly resolve: StrategicSchemaResolver;
}

/** Merges `patch` into `original`; modifies both. */
function mergeMaps(original: JsonObject, patch: JsonObject, context: Context): JsonObject {
  const directive = getOwn(patch, "$patch");
  if (directive !== undefined) return replaceMap(directive, patch);
  retainKeys(original, patch);
  mergeOrderedLists(original, patch, context);
  for (const key of Object.keys(patch)) mergeMember(original, key, patch[key], context);
  return original;
}

function replaceMap(directive: unknown, patch: JsonObject): JsonObject {
  if (directive === "delete") return {};
  if (directive !== "replace") throw new PatchError(500, `unknown patch type: ${JSON.stringify(directive)}`);
  delete patch["$patch"];
  return patch;
}

function retainKeys(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, "$retainKeys")) return;
  const list = patch["$retainKeys"];
  delete patch["$retainKeys"];
  if (!Array.isArray(list)) throw new PatchError(400, "invalid patch format of retainKeys");
  const retained = new Set<unknown>(list);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(deletePrefix) || key.startsWith(orderPrefix)) continue;
    if (!retained.has(key)) throw new PatchError(400, "invalid patch format of retainKeys");
  }
  for (const key of Object.keys(original)) if (!retained.has(key)) Reflect.deleteProperty(original, key);
}

/** Merges every list that has a `$setElementOrder` and removes both from the patch. */
function mergeOrderedLists(original: JsonObject, patch: JsonObject, context: Context): void {
  for (const directive of Object.keys(patch).filter((key) => key.startsWith(orderPrefix))) {
    const order = patch[directive];
    Reflect.deleteProperty(patch, directive);
    if (!Array.isArray(order)) throw unexpectedType("array", order);
    const key = listOf(directive, orderPrefix, "invalid patch format of setElementOrder list");
    const old = listMember(original, key);
    const added = listMember(patch, key);
    const meta = metaOf(key, context);
    checkOrder(added ?? [], order, meta.mergeKey);
    if (old === undefined && added === undefined) continue;
    let merged: unknown[];
    if (added === undefined) merged = old ?? [];
    else if (old === undefined) merged = withoutDirectives(added) as unknown[];
    else
      merged =
        meta.strategy === "merge"
          ? mergeLists(old, cloneJson(added), meta.mergeKey, elementMerger(meta, context))
          : added;
    if (meta.mergeKey !== "") checkOrdered(merged, order, meta.mergeKey);
    if ((old ?? []).length + (added ?? []).length === 0)
      throw new PatchError(500, "no elements in any of the given slices");
    const kind = elementKind(old ?? [], added ?? []);
    if (meta.mergeKey !== "" || kind === "object")
      requireMergeKeys([...merged, ...(order as unknown[]), ...(old ?? [])], meta.mergeKey);
    setOwn(original, key, orderMerged(merged, order, old ?? [], meta.mergeKey));
    Reflect.deleteProperty(patch, key);
  }
}

/** Requires objects in the order list up to the position of the element. */
function checkOrdered(merged: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  const odd = order.findIndex((each) => !isJsonObject(each));
  if (odd < 0) return;
  const before = new Set((order.slice(0, odd) as JsonObject[]).map((each) => getOwn(each, mergeKey)));
  for (const item of merged) {
    if (!isJsonObject(item)) return;
    if (!before.has(getOwn(item, mergeKey))) throw new PatchError(500, `value for key ${String(odd)} is not a map`);
  }
}

function mergeMember(original: JsonObject, patchKey: string, patchValue: unknown, context: Context): void {
  const deletion = patchKey.startsWith(deletePrefix);
  const key = deletion ? listOf(patchKey, deletePrefix, "invalid patch format of primitive list") : patchKey;
  if (patchValue === null) {
    Reflect.deleteProperty(original, key);
    return;
  }
  const old = getOwn(original, key);
  if (!Object.hasOwn(original, key) || typeOf(old) !== typeOf(patchValue)) {
    if (!deletion) setMember(original, key, withoutDirectives(withoutNulls(patchValue)));
    return;
  }
  if (isJsonObject(patchValue)) {
    const meta = metaOf(key, context);
    setOwn(
      original,
      key,
      meta.strategy === "replace"
        ? patchValue
        : mergeMaps(old as JsonObject, patchValue, { ...context, schema: meta.schema }),
    );
  } else if (Array.isArray(patchValue)) {
    const meta = metaOf(key, context);
    setOwn(
      original,
      key,
      deletion
        ? removeFromList(old as unknown[], patchValue, meta.mergeKey)
        : meta.strategy === "merge"
          ? mergeLists(old as unknown[], patchValue, meta.mergeKey, elementMerger(meta, context))
          : patchValue,
    );
  } else {
    setOwn(original, key, patchValue);
  }
}

function elementMerger(meta: PatchMeta, context: Context): (old: JsonObject, patch: JsonObject) => JsonObject {
  return (old, patch) => mergeMaps(old, patch, { ...context, schema: meta.schema });
}

function setMember(target: JsonObject, key: string, value: unknown): void {
  if (value === undefined) Reflect.deleteProperty(target, key);
  else setOwn(target, key, value);
}

function metaOf(key: string, context: Context): PatchMeta {
  const meta = lookUpPatchMeta(context.schema, key, context.resolve);
  if (meta === undefined)
    throw new PatchError(500, `unable to find a field of the API for the member ${JSON.stringify(key)} of the patch`);
  return meta;
}

function listOf(directive: string, prefix: string, message: string): string {
  const slash = directive.indexOf("/");
  if (slash < 0 || directive.slice(0, slash) !== prefix) throw new PatchError(400, message);
  return directive.slice(slash + 1);
}

function listMember(object: JsonObject, key: string): unknown[] | undefined {
  if (!Object.hasOwn(object, key)) return undefined;
  const value = object[key];
  if (!Array.isArray(value)) throw unexpectedType("array", value);
  return value as unknown[];
}

/** Requires that the patch's elements are in the order list, in the same relative order. */
function checkOrder(patch: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const kept = patch.filter((item) => mergeKey === "" || !(isJsonObject(item) && Object.hasOwn(item, "$patch")));
  checkMergeKeys([...kept, ...order], mergeKey);
  let at = 0;
  for (const wanted of order) if (at < kept.length && sameIdentity(kept[at], wanted, mergeKey)) at += 1;
  if (at < kept.length)
    throw new PatchError(500, `the order of a list in the patch does not match its ${orderPrefix} list`);
}

function sameIdentity(a: unknown, b: unknown, mergeKey: string): boolean {
  return mergeKey === "" ? a === b : (a as JsonObject)[mergeKey] === (b as JsonObject)[mergeKey];
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  for (const key of Object.keys(value)) {
    if (value[key] === null) Reflect.deleteProperty(value, key);
    else withoutNulls(value[key]);
  }
  return value;
}

/** Removes all objects that carry a directive; returns `undefined` if the value itself does. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, "$patch")) return undefined;
  for (const key of Object.keys(value)) setMember(value, key, withoutDirectives(value[key]));
  return value;
}
