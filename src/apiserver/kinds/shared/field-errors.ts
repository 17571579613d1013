import type { FieldError } from "../../errors/field-error.js";

export {
  forbiddenField as forbidden,
  invalidField as invalid,
  requiredField as required,
  unsupportedField as notSupported,
} from "../../errors/field-error.js";

/** Returns the error of a value that appears twice. */
export function duplicate(field: string, value: unknown): FieldError {
  return { type: "FieldValueDuplicate", field, value, detail: "" };
}

/** Returns the error of a reference to something that does not exist. */
export function notFound(field: string, value: unknown): FieldError {
  return { type: "FieldValueNotFound", field, value, detail: "" };
}

/** Returns the error of a text that is too long. */
export function tooLong(field: string, most: number): FieldError {
  return { type: "FieldValueTooLong", field, detail: `may not be more than ${String(most)} bytes` };
}

/** Returns the error of a list with too many items. */
export function tooMany(field: string, count: number, most: number): FieldError {
  return { type: "FieldValueTooMany", field, detail: `${String(count)}: must have at most ${String(most)} items` };
}
