import { goJsonText } from "../../internal/go-text.js";
import { getOwn, isJsonObject, sortKeys, sortOwnKeys } from "../../internal/json-value.js";
import type { RawJsonPatchOperation } from "../../patch/decode-json-patch.js";

/**
 * A patched object as errors show it. Where the patch went through an object its keys are in order, all else stands as it was written: the
 * server knows these parts as bytes only.
 */
export function textAfterJsonPatch(patched: unknown, operations: readonly RawJsonPatchOperation[]): string {
  const touched = operations.flatMap((operation) => [operation?.["path"], operation?.["from"]]).filter((path) => typeof path === "string").map((path) => path.split("/").slice(1, -1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")));
  return goJsonText(sortedAlong(patched, [[], ...touched]));
}

/** As `textAfterJsonPatch`, of a merge patch. */
export function textAfterMergePatch(patched: unknown, patch: unknown): string {
  return goJsonText(sortedLike(patched, patch));
}

function sortedAlong(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.length === 0) return value;
  const below = (key: string): (readonly string[])[] => paths.filter((path) => path[0] === key).map((path) => path.slice(1));
  if (Array.isArray(value)) return value.map((each: unknown, at) => sortedAlong(each, below(String(at))));
  return isJsonObject(value) ? sortOwnKeys(value, (each, key) => sortedAlong(each, below(key))) : value;
}

function sortedLike(value: unknown, patch: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(patch)) return sortKeys(value);
  if (!isJsonObject(value)) return value;
  if (!isJsonObject(patch)) return value;
  return sortOwnKeys(value, (each, key) => (Object.hasOwn(patch, key) ? sortedLike(each, getOwn(patch, key)) : each));
}
