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
  return Object.hasOwn(methods, name) ? methods[name]!(list, args[0] ?? null, args) : undefined;
}

const methods: Readonly<Record<string, (list: CelList, first: CelValue, args: readonly CelValue[]) => CelValue>> = {
  isSorted: (list) => list.every((item, at) => at === 0 || celCompare(list[at - 1]!, item) <= 0),
  sum,
  min: (list) => best(list, (item, other) => celCompare(item, other)),
  max: (list) => best(list, (item, other) => celCompare(other, item)),
  indexOf: (list, item) => BigInt(list.findIndex((each) => celEquals(each, item))),
  lastIndexOf: (list, item) => BigInt(list.findLastIndex((each) => celEquals(each, item))),
  join: (list, separator) =>
    list.map((item) => (typeof item === "string" ? item : fail())).join(typeof separator === "string" ? separator : ""),
  slice: (list, _, args) => slice(list, args),
  reverse: (list) => [...list].reverse(),
  distinct: (list) => list.filter((item, at) => list.findIndex((other) => celEquals(item, other)) === at),
  sort: (list) => [...list].sort(celCompare),
  flatten: (list, depth) => flatten(list, depth === null ? 1 : Number(depth)),
  first: (list) => new CelOptional(list[0]),
  last: (list) => new CelOptional(list.at(-1)),
  unwrapOpt: unwrapped,
};

function best(list: CelList, compare: (item: CelValue, other: CelValue) => number): CelValue {
  if (list.length === 0) throw new CelError("min or max called on empty list");
  return list.reduce((found, item) => (compare(item, found) < 0 ? item : found));
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
