import type { FieldError } from "../../errors/field-error.js";
import { configKey, forbidden, sameValue } from "../shared/field-errors.js";

/** Bytes that all values of a ConfigMap or Secret may have together. */
export const MOST_DATA: number = 1024 * 1024;

/** Returns the errors of the keys of a map with data. */
export function keyErrors(field: string, data: Readonly<Record<string, string>>): FieldError[] {
  return Object.keys(data).flatMap((key) => configKey(`${field}[${key}]`, key));
}

/** Returns the errors of a change of an object whose old state may be marked as immutable. */
export function frozenErrors<T extends { immutable?: boolean }>(
  object: T,
  old: T,
  keys: readonly (keyof T & string)[],
): FieldError[] {
  if (old.immutable !== true) return [];
  const changed = keys.filter((key) => !sameValue(object[key], old[key]));
  return [...(object.immutable === true ? [] : ["immutable"]), ...changed].map((field) =>
    forbidden(field, "field is immutable when `immutable` is set"),
  );
}

/** Returns how many bytes base64 texts stand for together. */
export function decodedLength(data: Readonly<Record<string, string>>): number {
  return Object.values(data).reduce((sum, text) => sum + Math.floor((text.replace(/=+$/, "").length * 3) / 4), 0);
}
