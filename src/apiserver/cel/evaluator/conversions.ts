import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from "../values/time.js";
import { CelDuration, CelError, CelOpaque, CelTimestamp, CelUint, type CelValue } from "../values/values.js";
import { int64, uintOf } from "./operations.js";

const conversions: Readonly<Record<string, (value: CelValue) => CelValue | undefined>> = {
  int: toInt,
  uint: (value) => {
    const number = value instanceof CelUint ? value.value : toInt(value);
    return number === undefined ? undefined : uintOf(number);
  },
  double: toDouble,
  // IP addresses and CIDRs convert to strings too.
  string: (value) => (value instanceof CelOpaque ? value.call("string", []) : toText(value)),
  bool: (value) => {
    if (typeof value === "boolean") return value;
    if (typeof value !== "string") return undefined;
    if (["1", "t", "true", "TRUE", "True"].includes(value)) return true;
    if (["0", "f", "false", "FALSE", "False"].includes(value)) return false;
    throw new CelError(`type conversion error from 'string' to 'bool'`);
  },
  bytes: (value) =>
    typeof value === "string" ? new TextEncoder().encode(value) : value instanceof Uint8Array ? value : undefined,
  duration: (value) => {
    if (typeof value === "string") return new CelDuration(parseDuration(value));
    if (typeof value === "bigint") return new CelDuration(value);
    return value instanceof CelDuration ? value : undefined;
  },
  timestamp: (value) => {
    if (typeof value === "string") return new CelTimestamp(parseTimestamp(value));
    if (typeof value === "bigint") return new CelTimestamp(value * 1_000_000_000n);
    return value instanceof CelTimestamp ? value : undefined;
  },
};

/** True if a function converts its argument to the type of its name. */
export function isConversion(name: string): boolean {
  return Object.hasOwn(conversions, name);
}

/** Converts a value. Throws a `CelError`. */
export function convert(name: string, value: CelValue): CelValue {
  const result = conversions[name]?.(value);
  if (result === undefined) throw new CelError("no such overload");
  return result;
}

function toInt(value: CelValue): bigint | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 63) throw new CelError("integer overflow");
    return BigInt(Math.trunc(value));
  }
  if (value instanceof CelUint) return int64(value.value);
  if (value instanceof CelTimestamp) return value.ns / 1_000_000_000n;
  if (value instanceof CelDuration) return value.ns;
  if (typeof value !== "string") return undefined;
  if (!/^[+-]?\d+$/.test(value)) throw new CelError(`type conversion error from 'string' to 'int'`);
  return int64(BigInt(value.replace(/^\+/, "")));
}

function toDouble(value: CelValue): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof CelUint) return Number(value.value);
  if (typeof value !== "string") return undefined;
  const number = Number(value);
  if (value.trim() === "" || (Number.isNaN(number) && value !== "NaN"))
    throw new CelError(`type conversion error from 'string' to 'double'`);
  return number;
}

/** Converts a value to a string, or returns `undefined` if it has none. */
export function toText(value: CelValue): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "bigint":
    case "number":
    case "boolean":
      return String(value);
    default:
      break;
  }
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value.ns);
  return value instanceof CelDuration ? formatDuration(value.ns) : undefined;
}
