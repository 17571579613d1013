import { type FieldError, ShownValue } from "../errors/field-error.js";
import { goFloatText } from "../internal/go-text.js";
import type { Schema } from "./schema.js";
import { Outcome } from "./validation-outcome.js";

const mostSafe = Number.MAX_SAFE_INTEGER;

/** Whether a number is read as a 64-bit integer. */
export function isWithin64Bits(value: number): boolean {
  return Number.isInteger(value) && value <= 2 ** 63 && value >= -(2 ** 63);
}

/** Whether a number that is no integer by its form counts as one: it lies next to one. */
export function isWhole(value: number): boolean {
  if (Math.abs(value) > mostSafe) return false;
  const near = Math.trunc(value);
  return value === near || (near !== 0 && Math.abs(value - near) / (Math.abs(value) + Math.abs(near)) < 1e-9);
}

/** The bounds of a number. Bounds that its type cannot hold are errors themselves; those of integers are cut off after the point. */
export function checkNumber(value: number, schema: Schema, types: readonly string[], path: string): Outcome {
  const outcome = new Outcome();
  const type = types.length === 1 ? types[0]! : "";
  const { format = "", multipleOf, minimum, maximum } = schema;
  const known =
    type === "integer"
      ? ["int32", "int64"].includes(format)
      : type === "number" && ["float", "double"].includes(format);
  const kept = known ? format : "";
  const asInteger = isWithin64Bits(value);
  /** Whether a bound can be held by the type; if not, that is told. */
  const holds = (bound: number, what: string): boolean => {
    if (isInRange(bound, type, kept)) return true;
    outcome.add({
      type: "FieldValueInvalid",
      field: "<nil>",
      value: "",
      detail: `${what} value must be of type ${type}${kept === "" ? " (default format)" : ` with format ${kept}`} in ${path}`,
    });
    return false;
  };
  holds(value, "Checked");
  const bounded = (bound: number, what: string, check: (bound: number, text: string, shown: unknown) => void): void => {
    const native = holds(bound, what) && asInteger;
    const limit = native ? Math.trunc(bound) : bound;
    check(limit, native ? String(limit) : goFloatText(limit), native ? value : new ShownValue(goFloatText(value)));
  };
  const wrong = (shown: unknown, detail: string): FieldError => ({
    type: "FieldValueInvalid",
    field: path,
    value: shown,
    detail,
  });
  if (multipleOf !== undefined) {
    bounded(multipleOf, "MultipleOf", (factor, text, shown) => {
      if (factor <= 0) outcome.add(wrong(factor, `factor MultipleOf declared for ${path} must be positive: ${text}`));
      else if (!isMultiple(value, factor)) outcome.add(wrong(shown, `${path} in body should be a multiple of ${text}`));
    });
  }
  if (minimum !== undefined) {
    bounded(minimum, "Minimum boundary", (limit, text, shown) => {
      const exclusive = schema.exclusiveMinimum === true;
      if (exclusive ? value <= limit : value < limit)
        outcome.add(wrong(shown, `${path} in body should be greater than ${exclusive ? "" : "or equal to "}${text}`));
    });
  }
  if (maximum !== undefined) {
    bounded(maximum, "Maximum boundary", (limit, text, shown) => {
      const exclusive = schema.exclusiveMaximum === true;
      if (exclusive ? value >= limit : value > limit)
        outcome.add(wrong(shown, `${path} in body should be less than ${exclusive ? "" : "or equal to "}${text}`));
    });
  }
  outcome.count += 1;
  return outcome;
}

function isInRange(value: number, type: string, format: string): boolean {
  if (type === "integer")
    return (
      Number.isInteger(value) && (format === "int32" ? value < 2 ** 31 && value >= -(2 ** 31) : isWithin64Bits(value))
    );
  return format !== "float" || Number.isFinite(Math.fround(value));
}

function isMultiple(value: number, factor: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0;
  return isWhole(factor < 1 ? (1 / factor) * value : value / factor);
}
