import { goJsonText } from "../../internal/go-text.js";
import { getOwn, isJsonObject, setOwn, sortKeys, sortOwnKeys } from "../../internal/json-value.js";

/**
 * An object as errors show it after a merge patch. Where the patch went through an object its keys are in order, all else stands as it was
 * written: the server knows these parts as bytes only.
 */
export function textAfterMergePatch(patched: unknown, patch: unknown): string {
  return goJsonText(sortedLike(patched, patch));
}

/** A strategic patch as it is once it was applied: the server takes directives out of the maps that it has gone through. */
export function appliedPatch(patch: unknown, item = false): unknown {
  if (Array.isArray(patch)) return patch.map((each: unknown) => appliedPatch(each, true));
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith("$setElementOrder/") || key === "$retainKeys" || (key === "$patch" && value === "replace" && !item)) continue;
    setOwn(result, key, appliedPatch(value));
  }
  return result;
}

function sortedLike(value: unknown, patch: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(patch)) return sortKeys(value);
  if (!isJsonObject(value)) return value;
  if (!isJsonObject(patch)) return value;
  return sortOwnKeys(value, (each, key) => (Object.hasOwn(patch, key) ? sortedLike(each, getOwn(patch, key)) : each));
}
