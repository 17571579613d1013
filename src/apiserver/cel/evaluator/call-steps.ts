import { words } from "../../internal/words.js";
import { type CelList, CelOpaque, type CelValue, isCelList, isCelMap } from "../values/values.js";
import { characterCount } from "./characters.js";
import { digitSteps } from "./libraries/digit-steps.js";
import type { Evaluator } from "./operations.js";

/** Cost of an authorization check. */
const checkCost = 350_000;

/** Cost of creating a list without its elements: the call and the list. */
const newListCost = 11;

/** Returns the number of elements, characters or bytes; 1 for other values. */
function sizeOf(value: CelValue | undefined): number {
  if (typeof value === "string") return characterCount(value);
  if (value instanceof Uint8Array) return value.length;
  if (value === undefined || value === null) return 1;
  return isCelList(value) ? value.length : isCelMap(value) ? value.size : 1;
}

const tenths = (size: number): number => Math.ceil(size / 10);
/** Multiplies by 0.1 in the same order as cel-go, for the same floating-point rounding. */
const fifths = (size: number): number => Math.ceil(size * 2 * 0.1);

/** Returns the cost of scanning a whole value. */
function traversal(run: Evaluator, value: CelValue): number {
  run.work(1);
  if (typeof value === "string") return Math.floor(new TextEncoder().encode(value).length * 0.1);
  if (value instanceof Uint8Array) return Math.floor(value.length * 0.1);
  if (isCelList(value)) return value.reduce<number>((sum, item) => sum + traversal(run, item), 0);
  return isCelMap(value)
    ? value.keys().reduce<number>((sum, key) => sum + traversal(run, key) + traversal(run, value.get(key) ?? null), 0)
    : 1;
}

/** Returns the cost of comparing all elements of a list with each other; strings cost their length. */
export function selfComparison(list: CelList): number {
  const factor = typeof list[0] === "string" || list[0] instanceof Uint8Array ? 2.1 : 2;
  return Math.floor(list.length * list.length * factor) + newListCost;
}

/** Functions that cost one scan of their first argument. */
const once = new Set(
  words(
    "url lowerAscii upperAscii substring trim jsonpatch.escapeKey cidr isIP isCIDR quantity isQuantity",
    "semver isSemver startsWith endsWith strings.quote format",
  ),
);
const traversals = new Set(["isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"]);
const setFactors: Readonly<Record<string, number>> = { "sets.contains": 1, "sets.intersects": 1, "sets.equivalent": 2 };
/** Functions whose cost depends on their result. */
const byResult = new Set(["slice", "lists.range", "join"]);
/** Functions that read a number of any length, which takes more time for each digit than for the one before. */
const readers = new Set(words("quantity isQuantity int uint double duration semver isSemver"));
/** Characters that are counted in one step. */
const charactersPerStep = 16;

/** Returns the steps that a call takes because of one argument, in addition to its cost. */
export function callWork(name: string, arg: CelValue): number {
  if (arg instanceof CelOpaque) return arg.weight;
  if (typeof arg !== "string") return 0;
  if (readers.has(name)) return digitSteps(arg);
  return name === "size" || name === "charAt" ? arg.length / charactersPerStep : 0;
}

/**
 * Returns the run-time cost of a call; a method's target is the first argument. `undefined` if it depends on the
 * result.
 */
export function callSteps(run: Evaluator, name: string, args: readonly CelValue[]): number | undefined {
  const [first = null, second = null] = args;
  if (byResult.has(name) && typeof first !== "string") return undefined;
  if (traversals.has(name)) return traversal(run, first);
  if (Object.hasOwn(setFactors, name)) return 1 + sizeOf(first) * sizeOf(second) * setFactors[name]!;
  if (first instanceof CelOpaque) return name === "check" ? checkCost : first.steps(name, args.slice(1));
  if (once.has(name) || (name === "ip" && typeof first === "string")) return tenths(sizeOf(first));
  switch (name) {
    case "replace":
    case "split":
    case "ip.isCanonical":
      return fifths(sizeOf(first));
    case "find":
    case "findAll":
    case "matches":
      return tenths(sizeOf(first) + 1) * Math.ceil(sizeOf(second) / 4);
    case "contains":
      return tenths(sizeOf(first)) * tenths(sizeOf(second));
    case "bytes":
      return typeof first === "string" ? tenths(sizeOf(first)) : 1;
    case "string":
      return first instanceof Uint8Array ? tenths(first.length) : 1;
    case "reverse":
      return sizeOf(first) + newListCost;
    case "flatten":
      return sizeOf(first) * Number(second ?? 1) + newListCost;
    case "distinct":
    case "sort":
      return isCelList(first) ? selfComparison(first) : 1;
    default:
      return 1;
  }
}

/** Returns the cost of a call that depends on its result. */
export function resultSteps(name: string, result: CelValue): number {
  return name === "join" ? fifths(sizeOf(result)) : sizeOf(result) + newListCost;
}
