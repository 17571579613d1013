import { typeNames } from "../checker/declarations.js";
import { fullTypeName } from "../checker/types.js";
import type { CelNode } from "../parser/syntax.js";
import { identified, type Meter } from "../values/equality.js";
import {
  CelDuration,
  CelError,
  type CelList,
  CelOptional,
  CelTimestamp,
  CelType,
  CelUint,
  type CelValue,
  isCelList,
  isCelMap,
} from "../values/values.js";

/** Variables in scope. */
export interface CelScope {
  /** Returns the value of a variable, or `undefined`. */
  lookUp(name: string): CelValue | undefined;
}

/** The part of an evaluation that functions use. */
export interface Evaluator {
  /** Cost so far. */
  readonly cost: number;
  /** Adds to the cost. Throws a `CelError` beyond the limit. */
  spend(steps: number): void;
  /** Counts elements or characters that a call creates or reads. Throws a `CelError` beyond ten times the limit. */
  readonly work: Meter;
  /** Evaluates a node. Throws a `CelError`. */
  evaluate(node: CelNode, scope: CelScope): CelValue;
}

/** Returns the type that a name stands for, or `undefined`. */
export function namedType(name: string): CelType | undefined {
  const type = typeNames.get(name.replace(/^\./, ""));
  return type === undefined ? undefined : new CelType(fullTypeName(type).replace(/\(.*/s, ""));
}

/** Returns the value of a variable or the type of a name. Throws a `CelError`. */
export function variable(name: string, scope: CelScope): CelValue {
  const value = scope.lookUp(name.replace(/^\./, ""));
  if (value !== undefined) return value;
  const type = namedType(name);
  if (type !== undefined) return type;
  throw new CelError(`no such attribute(s): ${name}`);
}

export function boolean(value: CelValue): boolean {
  if (typeof value !== "boolean") throw new CelError("no such overload");
  return value;
}

/** Returns a field of a map or of a map inside an optional. */
export function fieldOf(target: CelValue, name: string): CelValue {
  if (target instanceof CelOptional) return optionalField(target, name);
  if (!isCelMap(target)) throw new CelError("no such overload");
  const value = target.field(name);
  if (value === undefined) throw new CelError(`no such key: ${name}`);
  return value;
}

/** Returns a field as an optional. */
export function optionalField(target: CelValue, name: string): CelOptional {
  const inner = target instanceof CelOptional ? target.value : target;
  if (inner === undefined) return new CelOptional();
  if (!isCelMap(inner)) throw new CelError("no such overload");
  return new CelOptional(inner.field(name));
}

/** Returns an element of a list or map. Throws a `CelError`. */
export function index(target: CelValue, key: CelValue): CelValue {
  if (target instanceof CelOptional) return optionalIndex(target, key);
  if (isCelMap(target)) {
    const value = target.get(key);
    if (value === undefined) throw new CelError(`no such key: ${String(key)}`);
    return value;
  }
  if (!isCelList(target)) throw new CelError("no such overload");
  const at = position(key);
  if (at < 0 || at >= target.length) throw new CelError(`index out of bounds: ${at}`);
  return target[at]!;
}

/** Returns an element as an optional. */
export function optionalIndex(target: CelValue, key: CelValue): CelOptional {
  const inner = target instanceof CelOptional ? target.value : target;
  if (inner === undefined) return new CelOptional();
  if (isCelMap(inner)) return new CelOptional(inner.get(key));
  if (!isCelList(inner)) throw new CelError("no such overload");
  return new CelOptional(inner[position(key)]);
}

/** Converts a number to a list index. Throws a `CelError`. */
export function position(key: CelValue): number {
  if (typeof key === "bigint") return Number(key);
  if (key instanceof CelUint) return Number(key.value);
  if (typeof key === "number" && Number.isInteger(key)) return key;
  throw new CelError("no such overload");
}

/** Returns the size that determines the cost of a comparison. */
export function sizeOf(value: CelValue): number {
  if (typeof value === "string") return value.length;
  if (isCelList(value) || value instanceof Uint8Array) return value.length;
  return isCelMap(value) ? value.size : 1;
}

/** Checks the range of a 64-bit integer. Throws a `CelError`. */
export function int64(value: bigint): bigint {
  if (value > 9_223_372_036_854_775_807n || value < -9_223_372_036_854_775_808n) throw new CelError("integer overflow");
  return value;
}

/** Evaluates an integer operation. Throws a `CelError`. */
export function integers(op: string, left: bigint, right: bigint): bigint {
  if (op === "+") return left + right;
  if (op === "-") return left - right;
  if (op === "*") return left * right;
  if (right === 0n) throw new CelError(op === "/" ? "division by zero" : "modulus by zero");
  return op === "/" ? left / right : left % right;
}

const doubleOperations: Readonly<Record<string, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
};

/** Evaluates a floating-point operation. */
export function doubles(op: string, left: number, right: number): number {
  return doubleOperations[op]!(left, right);
}

/** Negates a number. Throws a `CelError`. */
export function negate(value: CelValue): CelValue {
  if (typeof value === "bigint") return int64(-value);
  if (typeof value === "number") return -value;
  throw new CelError("no such overload");
}

/** Subtracts times and durations. Throws a `CelError`. */
export function subtractTimes(left: CelValue, right: CelValue): CelValue {
  if (left instanceof CelTimestamp && right instanceof CelTimestamp) return new CelDuration(left.ns - right.ns);
  if (left instanceof CelTimestamp && right instanceof CelDuration) return new CelTimestamp(left.ns - right.ns);
  if (left instanceof CelDuration && right instanceof CelDuration) return new CelDuration(left.ns - right.ns);
  throw new CelError("no such overload");
}

/** Concatenates lists: sets are united, and elements with keys replace those with the same keys. */
export function addLists(left: CelList, right: CelList, work: Meter): CelList {
  work(left.length + right.length);
  if (left.listType === undefined) return left.concat(right);
  const others = identified(right, left, work);
  const known = identified(left, left, work);
  const kept = [...known].map(([identity, item]) => others.get(identity) ?? item);
  const added = [...others].filter(([identity]) => !known.has(identity)).map(([, item]) => item);
  return Object.assign([...kept, ...added], {
    listType: left.listType,
    ...(left.mapKeys === undefined ? {} : { mapKeys: left.mapKeys }),
  });
}

/** Creates an unsigned 64-bit integer. Throws a `CelError` if it is out of range. */
export function uintOf(value: bigint): CelUint {
  if (value < 0n || value > 18_446_744_073_709_551_615n) throw new CelError("unsigned integer overflow");
  return new CelUint(value);
}
