import { isJsonObject, jsonTypeName } from "../internal/json-value.js";
import { PatchError } from "./patch-error.js";

/** Every element must be an object that has the merge key, where there is one. */
export function checkMergeKeys(items: readonly unknown[], mergeKey: string): void {
  if (mergeKey !== "") requireMergeKeys(items, mergeKey);
}

/** The same where maps must have a key: those of a list without one have none. */
export function requireMergeKeys(items: readonly unknown[], mergeKey: string): void {
  for (const item of items) {
    if (!isJsonObject(item)) throw unexpectedType("object", item);
    if (!Object.hasOwn(item, mergeKey))
      throw new PatchError(500, `an element does not contain the declared merge key: ${mergeKey}`);
  }
}

/** A value of another type than the directive or the list asks for. */
export function unexpectedType(expected: string, actual: unknown): PatchError {
  return new PatchError(500, `expected a value of type ${expected}, but received one of type ${jsonTypeName(actual)}`);
}

/** The type by which values are told apart: integers and other numbers are two. */
export function typeOf(value: unknown): string {
  return typeof value === "number" && !Number.isInteger(value) ? "float" : jsonTypeName(value);
}
