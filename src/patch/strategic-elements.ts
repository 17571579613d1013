import { goFormat } from "../internal/go-format.js";
import { isJsonObject } from "../internal/json-value.js";
import { PatchError } from "./patch-error.js";

/** Every element must be an object that has the merge key, where there is one. */
export function checkMergeKeys(items: readonly unknown[], mergeKey: string): void {
  if (mergeKey !== "") requireMergeKeys(items, mergeKey);
}

/** The same where maps must have a key: those of a list without one have none. */
export function requireMergeKeys(items: readonly unknown[], mergeKey: string): void {
  for (const item of items) {
    if (!isJsonObject(item)) throw unexpectedType("map[string]interface {}", item);
    if (!Object.hasOwn(item, mergeKey)) throw new PatchError(500, `map: ${goFormat(item)} does not contain declared merge key: ${mergeKey}`);
  }
}

/** A value of another type than the directive or the list asks for. */
export function unexpectedType(expected: string, actual: unknown): PatchError {
  const names: Record<string, string> = { object: "map[string]interface {}", array: "[]interface {}", boolean: "bool", number: "int64" };
  const kind = kindOf(actual);
  return new PatchError(500, `expected a ${expected}, but received a ${names[kind] ?? kind}`);
}

/** What Go would call the dynamic type, as far as the merge cares. */
export function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value;
}
