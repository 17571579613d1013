import { setOwn } from "../../internal/set-own.js";
import { cloneJson, isJsonObject, type JsonObject } from "../internal/json-value.js";
import { PatchError } from "./patch-error.js";

/**
 * Applies a JSON merge patch the way kube-apiserver does. Returns a new value; the inputs stay unchanged.
 *
 * In replaced values, nulls inside objects of the patch are dropped at every depth, also inside lists. Throws a
 * `PatchError` with code 400 if the patch is neither an object nor a list.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) {
    if (!Array.isArray(patch)) throw new PatchError(400, "Invalid JSON Patch");
    return withoutNulls(patch);
  }
  return isJsonObject(document) ? mergeObjects(document, patch) : withoutNulls(patch);
}

function mergeObjects(document: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(document)) {
    if (!Object.hasOwn(patch, key)) setOwn(result, key, cloneJson(document[key]));
    else if (patch[key] !== null) setOwn(result, key, merge(document[key], patch[key]));
  }
  for (const key of Object.keys(patch)) {
    if (!Object.hasOwn(document, key) && patch[key] !== null) setOwn(result, key, withoutNulls(patch[key]));
  }
  return result;
}

function merge(current: unknown, patch: unknown): unknown {
  if (!isJsonObject(current)) return withoutNulls(patch);
  return isJsonObject(patch) ? mergeObjects(current, patch) : cloneJson(patch);
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value)) if (value[key] !== null) setOwn(result, key, withoutNulls(value[key]));
  return result;
}
