import { base64Slice } from "../../internal/base64.js";
import { formatJsonPath, jsonTypeName } from "../internal/json-value.js";
import { canonicalQuantity, canonicalTime } from "./go-scalars.js";

/** A body that doesn't fit the kind. */
export class GoDecodeError extends Error {
  /** Name of the class. */
  override readonly name: string = "GoDecodeError";
}

/** State of a decoding. */
export interface DecodeState {
  readonly unknown: string[];
  /** Path to the current value: names and indices, formatted only for errors. */
  readonly path: (string | number)[];
  /** True if the first value of a wrong type ends the decoding; false to leave such values out. */
  readonly strict: boolean;
  /** True to truncate whole numbers that don't fit like Go's conversion of an untyped object, which rejects none. */
  readonly truncates: boolean;
}

/** Decodes bytes given as an array of numbers. */
export function bytesOf(value: readonly unknown[], state: DecodeState): unknown {
  const numbers = value.map((item) => (integer(item, "uint8", 255, state) as number | undefined) ?? 0);
  if (numbers.some((number) => number < 0)) return mismatch(value, "bytes", state);
  return base64Slice(Uint8Array.from(numbers), 0, numbers.length);
}

/** Decodes an integer of a type whose largest value is `most`. */
export function integer(value: unknown, type: string, most: number, state: DecodeState): unknown {
  if (typeof value !== "number") return mismatch(value, type, state);
  if (!Number.isInteger(value) || value > most || value < -most - 1)
    return fail(
      state,
      `cannot unmarshal number ${String(value)} into field ${formatJsonPath(state.path)} of type ${type}`,
    );
  return value === 0 ? 0 : value;
}

/** Decodes a 32-bit integer. */
export function int32(value: unknown, state: DecodeState): unknown {
  if (!state.truncates || !Number.isInteger(value)) return integer(value, "int32", 2147483647, state);
  // Go converts to an int64 first, whose lower half is zero for numbers beyond its range.
  return Math.abs(value as number) < 2 ** 63 ? (value as number) | 0 : 0;
}

/** Decodes a quantity in its canonical form. */
export function quantity(text: string, state: DecodeState): unknown {
  try {
    return canonicalQuantity(text);
  } catch (error) {
    return fail(state, error instanceof Error ? error.message : String(error));
  }
}

/** Decodes a time with a number of digits after the seconds. */
export function time(text: string, digits: 0 | 6, state: DecodeState): unknown {
  const canonical = canonicalTime(text, digits);
  if (canonical === undefined)
    return fail(state, `cannot parse ${JSON.stringify(text)} as a time in field ${formatJsonPath(state.path)}`);
  // Go's zero time, which it prints as null.
  return canonical.startsWith("0001-01-01T00:00:00") && !/[1-9]/.test(canonical.slice(19)) ? undefined : canonical;
}

/** Decodes bytes in Base64: returns them without line ends. */
export function base64(text: string, state: DecodeState): unknown {
  const clean = text.replaceAll(/[\r\n]/g, "");
  const wrong = /[^A-Za-z0-9+/]/.exec(clean.replace(/={1,2}$/, ""));
  if (wrong !== null) return fail(state, `illegal base64 data at input byte ${String(wrong.index)}`);
  if (clean.length % 4 !== 0)
    return fail(state, `illegal base64 data at input byte ${String(clean.length - (clean.length % 4))}`);
  return clean;
}

/** Reports a value of a wrong type. Returns `undefined` if the state leaves such values out. */
export function mismatch(value: unknown, type: string, state: DecodeState): unknown {
  return fail(
    state,
    `cannot unmarshal ${jsonTypeName(value)} into field ${formatJsonPath(state.path)} of type ${type}`,
  );
}

/** Throws a `GoDecodeError`, or returns `undefined` if the state leaves wrong values out. */
export function fail(state: DecodeState, message: string): unknown {
  if (state.strict) throw new GoDecodeError(message);
  return undefined;
}
