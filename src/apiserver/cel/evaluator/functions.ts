import { compileGoRegExp } from "../../internal/re2.js";
import { celEquals, type Meter } from "../values/equality.js";
import { timestampPart } from "../values/time.js";
import {
  CelDuration,
  CelError,
  type CelList,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelType,
  type CelValue,
  celTypeName,
  isCelList,
  isCelMap,
} from "../values/values.js";
import { callSteps, callWork, resultSteps } from "./call-steps.js";
import { characterCount } from "./characters.js";
import { convert, isConversion } from "./conversions.js";
import { callKubernetes } from "./libraries/kubernetes.js";
import { callListMethod, unwrapped } from "./lists.js";
import { type Evaluator, sizeOf } from "./operations.js";
import { callStringMethod } from "./strings.js";

/** Runs a call and adds its cost, before the call if possible. The base cost of 1 is already counted. */
function counted(run: Evaluator, name: string, args: readonly CelValue[], call: () => CelValue): CelValue {
  run.work(args.reduce<number>((sum, arg) => sum + callWork(name, arg), 0));
  const steps = callSteps(run, name, args);
  if (steps !== undefined) run.spend(steps - 1);
  const result = call();
  if (steps === undefined) run.spend(resultSteps(name, result) - 1);
  return result;
}

/** Calls a function. Throws a `CelError`. */
export function callFunction(run: Evaluator, name: string, args: readonly CelValue[]): CelValue {
  return counted(run, name, args, () => runFunction(run, name, args));
}

function runFunction(run: Evaluator, name: string, args: readonly CelValue[]): CelValue {
  if (name === "dyn") return args[0] ?? null;
  const [first = null, second = null] = args;
  if (isConversion(name) && args.length === 1) return convert(name, first);
  const result = Object.hasOwn(functions, name)
    ? functions[name]!(first, second, run.work)
    : callKubernetes(name, args);
  return result ?? noOverload(name);
}

const functions: Readonly<Record<string, (first: CelValue, second: CelValue, work: Meter) => CelValue | undefined>> = {
  size,
  type: (value) => new CelType(celTypeName(value)),
  matches,
  "optional.of": (value) => new CelOptional(value),
  "optional.none": () => new CelOptional(),
  "optional.ofNonZeroValue": (value) => (isZero(value) ? new CelOptional() : new CelOptional(value)),
  "optional.unwrap": (list) => (isCelList(list) ? unwrapped(list) : undefined),
  "jsonpatch.escapeKey": (key) =>
    typeof key === "string" ? key.replaceAll("~", "~0").replaceAll("/", "~1") : undefined,
  sign: (value) => (value instanceof CelOpaque ? value.call("sign", []) : undefined),
  "strings.quote": (text) => (typeof text === "string" ? quote(text) : undefined),
  "lists.range": range,
  "sets.contains": (all, items, work) => isWithin(items, all, work),
  "sets.equivalent": (left, right, work) => isWithin(left, right, work) && isWithin(right, left, work),
  "sets.intersects": (left, right, work) => elements(right).some((item) => isWithin([item], left, work)),
};

function noOverload(name: string): never {
  throw new CelError(`no such overload: ${name}`);
}

const escapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

function quote(text: string): string {
  return `"${text.replace(/[\u0007\b\f\n\r\t\v\\"]/g, (char) => escapes[char]!)}"`;
}

const longestRange = 1_000_000n;

function range(length: CelValue): CelValue[] {
  if (typeof length !== "bigint") return noOverload("lists.range");
  if (length > longestRange) throw new CelError(`lists.range: size ${length} exceeds maximum of ${longestRange}`);
  return Array.from({ length: Math.max(0, Number(length)) }, (_, at) => BigInt(at));
}

/** Calls a method. Throws a `CelError`. */
export function callMethod(run: Evaluator, name: string, target: CelValue, args: readonly CelValue[]): CelValue {
  return counted(run, name, [target, ...args], () => runMethod(run, name, target, args));
}

function runMethod(run: Evaluator, name: string, target: CelValue, args: readonly CelValue[]): CelValue {
  if (name === "size" && args.length === 0) return size(target);
  let result: CelValue | undefined;
  if (target instanceof CelOpaque) result = target.call(name, args);
  else if (target instanceof CelOptional)
    result = Object.hasOwn(optionalMethods, name) ? optionalMethods[name]!(target, args[0]) : undefined;
  else if (typeof target === "string")
    result = name === "matches" ? matches(target, args[0] ?? null) : callStringMethod(run, name, target, args);
  else if (isCelList(target)) result = callListMethod(run, name, target, args);
  else if (target instanceof CelTimestamp)
    result = timestampPart(target.ns, name, typeof args[0] === "string" ? args[0] : "");
  else if (target instanceof CelDuration) result = durationPart(target.ns, name);
  if (result === undefined) throw new CelError(`no such overload: ${celTypeName(target)}.${name}`);
  return result;
}

function size(value: CelValue): bigint {
  if (typeof value === "string") return BigInt(characterCount(value));
  if (isCelList(value) || value instanceof Uint8Array || isCelMap(value)) return BigInt(sizeOf(value));
  throw new CelError("no such overload");
}

function matches(text: CelValue, pattern: CelValue): boolean {
  if (typeof text !== "string" || typeof pattern !== "string") throw new CelError("no such overload");
  try {
    return compileGoRegExp(pattern).test(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new CelError(error.message);
    throw error;
  }
}

function isZero(value: CelValue): boolean {
  return value === null || value === false || value === 0n || value === 0 || value === "" || sizeOf(value) === 0;
}

const optionalMethods: Readonly<Record<string, (optional: CelOptional, other?: CelValue) => CelValue | undefined>> = {
  hasValue: ({ value }) => value !== undefined,
  value({ value }) {
    if (value === undefined) throw new CelError("optional.none() dereference");
    return value;
  },
  orValue: ({ value }, other) => value ?? other,
  or: (optional, other) => (optional.value === undefined ? other : optional),
};

function elements(value: CelValue): CelList {
  if (!isCelList(value)) throw new CelError("no such overload");
  return value;
}

/** Returns whether all elements of a list are in another one. */
function isWithin(items: CelValue, all: CelValue, work: Meter): boolean {
  return elements(items).every((item) => elements(all).some((other) => celEquals(item, other, work)));
}

function durationPart(ns: bigint, name: string): bigint | undefined {
  const divisors: Readonly<Record<string, bigint>> = {
    getHours: 3_600_000_000_000n,
    getMinutes: 60_000_000_000n,
    getSeconds: 1_000_000_000n,
  };
  if (name === "getMilliseconds") return (ns / 1_000_000n) % 1000n;
  return Object.hasOwn(divisors, name) ? ns / divisors[name]! : undefined;
}
