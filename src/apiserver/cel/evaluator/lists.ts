import { celCompare, celEquals, type Meter } from "../values/equality.js";
import {
  CelDuration,
  CelError,
  type CelList,
  CelOptional,
  CelUint,
  type CelValue,
  isCelList,
} from "../values/values.js";
import { toText } from "./conversions.js";
import { type Evaluator, int64, uintOf } from "./operations.js";

/** Calls a method of a list; returns `undefined` for an unknown one. Throws a `CelError`. */
export function callListMethod(
  run: Evaluator,
  name: string,
  list: CelList,
  args: readonly CelValue[],
): CelValue | undefined {
  return Object.hasOwn(methods, name) ? methods[name]!(list, args, run.work) : undefined;
}

const methods: Readonly<Record<string, (list: CelList, args: readonly CelValue[], work: Meter) => CelValue>> = {
  isSorted: (list) => list.every((item, at) => at === 0 || celCompare(list[at - 1]!, item) <= 0),
  sum,
  min: (list) => best(list, (item, other) => celCompare(item, other)),
  max: (list) => best(list, (item, other) => celCompare(other, item)),
  indexOf: (list, [item = null], work) => BigInt(list.findIndex((each) => celEquals(each, item, work))),
  lastIndexOf: (list, [item = null], work) => BigInt(list.findLastIndex((each) => celEquals(each, item, work))),
  join: (list, [separator], work) => join(list, typeof separator === "string" ? separator : "", work),
  slice,
  reverse: (list) => [...list].reverse(),
  distinct: (list, _, work) =>
    list.filter((item, at) => list.findIndex((other) => celEquals(item, other, work)) === at),
  sort: (list) => [...list].sort(celCompare),
  flatten: (list, [depth = 1n], work) => flatten(list, Number(depth), work),
  first: (list) => new CelOptional(list[0]),
  last: (list) => new CelOptional(list.at(-1)),
  unwrapOpt: unwrapped,
};

function best(list: CelList, compare: (item: CelValue, other: CelValue) => number): CelValue {
  if (list.length === 0) throw new CelError("min or max called on empty list");
  return list.reduce((found, item) => (compare(item, found) < 0 ? item : found));
}

function join(list: CelList, separator: string, work: Meter): string {
  const texts = list.map((item) => (typeof item === "string" ? item : fail()));
  countText(
    texts.reduce((sum, { length }) => sum + length + separator.length, 0),
    work,
  );
  return texts.join(separator);
}

/** Counts a text of this length before it is created. */
export function countText(length: number, work: Meter): void {
  work(length / 2);
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

function flatten(list: CelList, depth: number, work: Meter): CelValue[] {
  const items: CelValue[] = [];
  const add = (part: CelList, left: number): void => {
    work(3 * part.length);
    for (const item of part) {
      if (left > 0 && isCelList(item)) add(item, left - 1);
      else items.push(item);
    }
  };
  add(list, Math.max(depth, 1));
  return items;
}

/** Formats a value for `format`. */
export function shownText(value: CelValue, work: Meter): string {
  if (isCelList(value)) {
    countText(10 * value.length, work);
    return `[${value.map((item) => shownText(item, work)).join(", ")}]`;
  }
  const text = value === null ? "null" : (toText(value) ?? "");
  countText(text.length, work);
  return text;
}
