import { isJsonObject, jsonTypeName } from "../internal/json-value.js";
import { PatchError } from "./patch-error.js";

/** Requires that every element is an object with the merge key, if there is one. */
export function checkMergeKeys(items: readonly unknown[], mergeKey: string): void {
  if (mergeKey !== "") requireMergeKeys(items, mergeKey);
}

/** Same as `checkMergeKeys`, for lists whose objects must have a key. */
export function requireMergeKeys(items: readonly unknown[], mergeKey: string): void {
  for (const item of items) {
    if (!isJsonObject(item)) throw unexpectedType("object", item);
    if (!Object.hasOwn(item, mergeKey))
      throw new PatchError(500, `an element does not contain the declared merge key: ${mergeKey}`);
  }
}

/** Creates the error for a value of an unexpected type. */
export function unexpectedType(expected: string, actual: unknown): PatchError {
  return new PatchError(500, `expected a value of type ${expected}, but received one of type ${jsonTypeName(actual)}`);
}

/** Returns the type of a value as Go distinguishes it: integers and floats are two types. */
export function typeOf(value: unknown): string {
  return typeof value === "number" && !Number.isInteger(value) ? "float" : jsonTypeName(value);
}
