import type { FieldError } from "../../errors/field-error.js";
import * as check from "./checks.js";
import { invalid } from "./field-errors.js";

/** Returns an error unless the value is a number of at least 0 or a percentage. */
export function intOrPercent(field: string, value: number | string | undefined): FieldError[] {
  if (typeof value === "number") return check.nonNegative(field, value);
  return value === undefined || /^[0-9]+%$/.test(value)
    ? []
    : [invalid(field, value, "must be a percentage like '25%'")];
}

/** Returns an error for a percentage above 100. */
export function atMostAll(field: string, value: number | string | undefined): FieldError[] {
  return typeof value === "string" && amount(value) > 100
    ? [invalid(field, value, "must not be greater than 100%")]
    : [];
}

/** Returns the number in a value, with or without a percent sign. */
export function amount(value: number | string | undefined): number {
  return typeof value === "string" ? Number(/^(\d+)%?$/.exec(value)?.[1] ?? "0") : (value ?? 0);
}
