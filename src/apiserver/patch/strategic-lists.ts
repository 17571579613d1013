import { getOwn, isJsonObject, type JsonObject } from "../internal/json-value.js";
import { PatchError } from "./patch-error.js";
import { checkMergeKeys, typeOf } from "./strategic-elements.js";
import { orderMerged } from "./strategic-order.js";

/** Merges an element of the patch into the one that it matches. */
export type ElementMerger = (old: JsonObject, patch: JsonObject) => JsonObject;

/** Merges a list of the patch into the object's: scalars as a set, objects by their merge key. */
export function mergeLists(
  original: readonly unknown[],
  patch: readonly unknown[],
  mergeKey: string,
  merge: ElementMerger,
): unknown[] {
  if (original.length === 0 && patch.length === 0) return [];
  if (elementKind(original, patch) !== "object")
    return orderMerged([...new Set([...original, ...patch])], patch, original, "");
  if (mergeKey === "") throw new PatchError(500, "cannot merge lists without merge key for struct");
  const rest = obeyDirectives(original as JsonObject[], patch as JsonObject[], mergeKey);
  const merged = mergeElements(rest.original, rest.patch, mergeKey, merge);
  checkMergeKeys([...merged, ...rest.original], mergeKey);
  return orderMerged(merged, rest.patch, rest.original, mergeKey);
}

/** Removes scalars from a list. */
export function removeFromList(original: readonly unknown[], removed: readonly unknown[], mergeKey: string): unknown[] {
  if (original.length === 0 && removed.length === 0) return [];
  if (elementKind(original, removed) === "object") return mergeLists(original, removed, mergeKey, (old) => old);
  const gone = new Set(removed);
  return original.filter((item) => !gone.has(item));
}

/** Returns the common type of all elements in both lists. Throws a `PatchError` if they differ. */
export function elementKind(original: readonly unknown[], patch: readonly unknown[]): string {
  const items = [...original, ...patch];
  const kind = typeOf(items[0]);
  if (kind === "array") throw new PatchError(422, "lists of lists are not supported");
  if (items.some((item) => typeOf(item) !== kind)) throw new PatchError(500, "list element types are not identical");
  return kind;
}

/** Applies and removes elements with `$patch`: `delete` removes the matching element, `replace` the whole list. */
function obeyDirectives(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): { original: readonly JsonObject[]; patch: readonly JsonObject[] } {
  const deleted = new Set<unknown>();
  let replace = false;
  for (const item of patch) {
    const directive = getOwn(item, "$patch");
    if (directive === undefined) continue;
    if (directive === "replace") replace = true;
    else if (directive === "delete") {
      checkMergeKeys([item], mergeKey);
      deleted.add(item[mergeKey]);
    } else if (directive === "merge") throw new PatchError(500, "merging lists cannot yet be specified in the patch");
    else throw new PatchError(500, `unknown patch type: ${JSON.stringify(directive)}`);
  }
  const elements = patch.filter((item) => !Object.hasOwn(item, "$patch"));
  if (replace) return { original: elements, patch: [] };
  return { original: original.filter((item) => !deleted.has(getOwn(item, mergeKey))), patch: elements };
}

function mergeElements(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
  merge: ElementMerger,
): unknown[] {
  checkMergeKeys(patch, mergeKey);
  const result: unknown[] = [...original];
  const places = new Map<unknown, number>();
  for (const [at, item] of original.entries()) {
    const key = getOwn(item, mergeKey);
    if (!places.has(key)) places.set(key, at);
  }
  for (const item of patch) {
    const key = item[mergeKey];
    const at = places.get(key);
    const old = at === undefined ? undefined : result[at];
    if (at !== undefined && isJsonObject(old)) {
      result[at] = merge(old, item);
    } else {
      places.set(key, result.length);
      result.push(item);
    }
  }
  return result;
}
