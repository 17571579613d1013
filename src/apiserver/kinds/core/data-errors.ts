import { trimEnd } from "../../../internal/trim-end.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { forbidden } from "../shared/field-errors.js";

/** Maximum total size of a ConfigMap's or Secret's values in bytes. */
export const mostData: number = 1024 * 1024;

/** Validates the keys of a data map. */
export function keyErrors(field: string, data: Readonly<Record<string, string>>): FieldError[] {
  return check.eachItem(Object.keys(data), "", (key) => check.configKey(`${field}[${key}]`, key));
}

/** Validates a change of an object that may be marked as immutable. */
export function frozenErrors<T extends { immutable?: boolean | undefined }>(
  object: T,
  old: T,
  keys: readonly (keyof T & string)[],
): FieldError[] {
  if (old.immutable !== true) return [];
  const changed = keys.filter((key) => !check.sameValue(object[key], old[key]));
  return [...(object.immutable === true ? [] : ["immutable"]), ...changed].map((field) =>
    forbidden(field, "field is immutable when `immutable` is set"),
  );
}

/** Returns the total decoded length of base64 texts in bytes. */
export function decodedLength(data: Readonly<Record<string, string>>): number {
  return Object.values(data).reduce((sum, text) => sum + Math.floor((trimEnd(text, "=").length * 3) / 4), 0);
}
