import { goJsonText } from "../internal/go-text.js";
import { getOwn, isJsonObject, sortKeys, sortOwnKeys } from "../internal/json-value.js";

/**
 * An object as errors show it after a merge patch. Where the patch went through an object its keys are in order, all else stands as it was
 * written: the server knows these parts as bytes only.
 */
export function textAfterMergePatch(patched: unknown, patch: unknown): string {
  return goJsonText(sortedLike(patched, patch));
}

function sortedLike(value: unknown, patch: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(patch)) return sortKeys(value);
  if (!isJsonObject(value)) return value;
  if (!isJsonObject(patch)) return value;
  return sortOwnKeys(value, (each, key) => (Object.hasOwn(patch, key) ? sortedLike(each, getOwn(patch, key)) : each));
}
