import { goFormat, goNumberType } from "../internal/go-format.js";
import { isJsonObject } from "../internal/json-value.js";
import { PatchError } from "./patch-error.js";

/** The Go type of an object. */
export const GO_MAP = "map[string]interface {}";

/** Every element must be an object that has the merge key, where there is one. */
export function checkMergeKeys(items: readonly unknown[], mergeKey: string): void {
  if (mergeKey !== "") requireMergeKeys(items, mergeKey);
}

/** The same where maps must have a key: those of a list without one have none. */
export function requireMergeKeys(items: readonly unknown[], mergeKey: string): void {
  for (const item of items) {
    if (!isJsonObject(item)) throw unexpectedType(GO_MAP, item);
    if (!Object.hasOwn(item, mergeKey))
      throw new PatchError(500, `map: ${goFormat(item)} does not contain declared merge key: ${mergeKey}`);
  }
}

/** A value of another type than the directive or the list asks for. */
export function unexpectedType(expected: string, actual: unknown): PatchError {
  return new PatchError(500, `expected a ${expected}, but received a ${goType(actual) ?? "%!s(<nil>)"}`);
}

/** What Go calls the dynamic type; nothing for null. */
export function goType(value: unknown): string | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return GO_MAP;
  return typeof value === "number" ? goNumberType(value) : typeof value === "boolean" ? "bool" : typeof value;
}
