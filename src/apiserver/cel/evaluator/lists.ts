import {
  CelDuration,
  CelError,
  type CelList,
  CelOptional,
  CelUint,
  type CelValue,
  celCompare,
  celEquals,
  isCelList,
} from "../values/values.js";
import { toText } from "./conversions.js";
import { int64, uintOf } from "./operations.js";

/** Calls a method of a list; returns `undefined` for an unknown one. Throws a `CelError`. */
export function callListMethod(name: string, list: CelList, args: readonly CelValue[]): CelValue | undefined {
  switch (name) {
    case "isSorted":
      return list.every((item, at) => at === 0 || celCompare(list[at - 1]!, item) <= 0);
    case "sum":
      return sum(list);
    case "min":
    case "max": {
      if (list.length === 0) throw new CelError(`${name} called on empty list`);
      return list.reduce((best, item) =>
        (name === "min" ? celCompare(item, best) : celCompare(best, item)) < 0 ? item : best,
      );
    }
    case "indexOf":
      return BigInt(list.findIndex((item) => celEquals(item, args[0] ?? null)));
    case "lastIndexOf":
      return BigInt(list.findLastIndex((item) => celEquals(item, args[0] ?? null)));
    case "join": {
      const separator = typeof args[0] === "string" ? args[0] : "";
      return list.map((item) => (typeof item === "string" ? item : fail())).join(separator);
    }
    case "slice":
      return slice(list, args);
    case "reverse":
      return [...list].reverse();
    case "distinct":
      return list.filter((item, at) => list.findIndex((other) => celEquals(item, other)) === at);
    case "sort":
      return [...list].sort(celCompare);
    case "flatten":
      return flatten(list, args[0] === undefined ? 1 : Number(args[0]));
    case "first":
      return new CelOptional(list[0]);
    case "last":
      return new CelOptional(list.at(-1));
    case "unwrapOpt":
      return unwrapped(list);
    default:
      return undefined;
  }
}

function fail(): never {
  throw new CelError("no such overload");
}

function sum(list: CelList): CelValue {
  const first = list[0];
  if (first instanceof CelDuration) {
    let total = 0n;
    for (const item of list) total += item instanceof CelDuration ? item.ns : fail();
    return new CelDuration(total);
  }
  if (typeof first === "number") {
    let total = 0;
    for (const item of list) total += typeof item === "number" ? item : fail();
    return total;
  }
  let total = 0n;
  if (first instanceof CelUint) {
    for (const item of list) total += item instanceof CelUint ? item.value : fail();
    return uintOf(total);
  }
  for (const item of list) total += typeof item === "bigint" ? item : fail();
  return int64(total);
}

/** Returns the values of those optionals that have one. */
export function unwrapped(list: CelList): CelValue[] {
  return list.flatMap((item) =>
    item instanceof CelOptional ? (item.value === undefined ? [] : [item.value]) : fail(),
  );
}

function slice(list: CelList, args: readonly CelValue[]): CelValue {
  const [from, to] = args.map((arg) => (typeof arg === "bigint" ? Number(arg) : fail()));
  if (from === undefined || to === undefined || from < 0 || to > list.length || from > to)
    throw new CelError(`cannot slice(${String(from)}, ${String(to)}), list is length ${list.length}`);
  return list.slice(from, to);
}

function flatten(list: CelList, depth: number): CelValue[] {
  return list.flatMap((item): CelValue[] =>
    isCelList(item) ? (depth > 1 ? flatten(item, depth - 1) : [...item]) : [item],
  );
}

/** Formats a value for `format`. */
export function shownText(value: CelValue): string {
  if (value === null) return "null";
  if (isCelList(value)) return `[${value.map(shownText).join(", ")}]`;
  return toText(value) ?? "";
}
