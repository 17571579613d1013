import { invalidField } from "../errors/field-error.js";
import type { Schema } from "./schema.js";
import type { Outcome } from "./validation-outcome.js";

const mostSafe = Number.MAX_SAFE_INTEGER;

/** True if a number is decoded as a 64-bit integer. */
export function isWithin64Bits(value: number): boolean {
  return Number.isInteger(value) && value <= 2 ** 63 && value >= -(2 ** 63);
}

/** True if a float counts as an integer because it is very close to one. */
export function isWhole(value: number): boolean {
  if (Math.abs(value) > mostSafe) return false;
  const near = Math.trunc(value);
  return value === near || (near !== 0 && Math.abs(value - near) / (Math.abs(value) + Math.abs(near)) < 1e-9);
}

/** Checks the bounds of a number. Bounds that the type can't represent are errors; those of integers are truncated. */
export function checkNumber(
  outcome: Outcome,
  value: number,
  { schema, types, path }: { readonly schema: Schema; readonly types: readonly string[]; readonly path: string },
): void {
  const type = types.length === 1 ? types[0]! : "";
  const { format = "" } = schema;
  const kept = (formats[type] ?? []).includes(format) ? format : "";
  /** Returns a bound in the precision of the comparison; reports one that the type can't represent. */
  const held = (bound: number, what: string): number => {
    if (isInRange(bound, type, kept)) return isWithin64Bits(value) ? Math.trunc(bound) : bound;
    const named = kept === "" ? " (default format)" : ` with format ${kept}`;
    outcome.add(invalidField("<nil>", "", `${what} value must be of type ${type}${named} in ${path}`));
    return bound;
  };
  const wrong = (what: string): void => outcome.add(invalidField(path, value, `${path} in body should be ${what}`));
  held(value, "Checked");
  if (schema.multipleOf !== undefined) {
    const factor = held(schema.multipleOf, "MultipleOf");
    if (factor <= 0 || !isMultiple(value, factor)) wrong(`a multiple of ${factor}`);
  }
  const bound = (limit: number, exclusive: boolean, [way, sign]: readonly [way: string, sign: 1 | -1]): void => {
    const beyond = sign * (value - limit);
    if (exclusive ? beyond >= 0 : beyond > 0) wrong(`${way} than ${exclusive ? "" : "or equal to "}${limit}`);
  };
  const { minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  if (minimum !== undefined) bound(held(minimum, "Minimum boundary"), exclusiveMinimum, ["greater", -1]);
  if (maximum !== undefined) bound(held(maximum, "Maximum boundary"), exclusiveMaximum, ["less", 1]);
  outcome.count += 1;
}

/** Formats that define the representation of numbers, by type. */
const formats: Readonly<Record<string, readonly string[]>> = {
  integer: ["int32", "int64"],
  number: ["float", "double"],
};

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
