import type { Schema } from "../../schema/schema.js";
import type { CelStaticType } from "../checker/types.js";
import { capped, type Estimate, type Size, share, sizeOf, textCost } from "./estimate.js";
import { largestAt } from "./sizes.js";

/** Cost of a call without its arguments, and the size of its result. */
type Call = Pick<Estimate, "cost" | "size" | "entry">;

const regexCost = 0.25;
const formatRegexCost = 128;
const checkCost = 350_000;

const most = (each: Estimate): number => sizeOf(each).max;
const isText = ({ type }: Estimate): boolean => type.kind === "string" || type.kind === "bytes";
const isOpen = ({ type }: Estimate): boolean => type.kind === "dyn" || type.kind === "param";
const through = (each: Estimate, factor = textCost): number => share(most(each), factor);
const sumOf = (a: Size, b: Size): Size => ({ min: capped(a.min + b.min), max: capped(a.max + b.max) });

/** Functions that scan their first argument or target once. */
const parsers = new Set(["cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"]);
const kept = new Set(["lowerAscii", "upperAscii", "substring", "trim"]);
const compared = new Set(["isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"]);
const setFactors: Readonly<Record<string, number>> = { "sets.contains": 1, "sets.intersects": 1, "sets.equivalent": 2 };

/** Returns the cost of creating a list of this size, `factor` per element. */
function listOf(factor: number, size: Size): Call {
  return { cost: share(size.max, factor) + 11, size };
}

const number = (each: Estimate | undefined, otherwise: number): number =>
  each?.literal === undefined ? otherwise : Math.max(Number(each.literal), 0);
const squared = (each: Estimate): Size => ({ min: 0, max: capped(most(each) * most(each)) });

/** Functions from lists to lists. */
const listCalls: Readonly<Record<string, (list: Estimate, args: readonly Estimate[]) => Call>> = {
  slice: (list, [from, to]) => {
    const length = Math.max(number(to, most(list)) - number(from, 0), 0);
    return listOf(1, { min: length, max: length });
  },
  reverse: (list) => listOf(1, sizeOf(list)),
  flatten: (list, [depth]) => listOf(depth === undefined ? 1 : number(depth, Number.MAX_VALUE), sizeOf(list)),
  distinct: (list) => listOf(2, squared(list)),
  sort: (list) =>
    listOf(
      list.type.kind === "list" && (list.type.item.kind === "string" || list.type.item.kind === "bytes")
        ? 2 + textCost
        : 2,
      squared(list),
    ),
};

/** Estimates the cost of a call as kube-apiserver does: most cost 1, others depend on the size of their values. */
export function callCost(
  name: string,
  target: Estimate | undefined,
  args: readonly Estimate[],
  given: { readonly schema: Schema; readonly root: boolean },
): Call {
  const [first, second] = args;
  if (target === undefined) return functionCost(name, first, second, args);
  if (kept.has(name)) return { cost: through(target), size: target.size };
  if (compared.has(name)) return { cost: comparison(target, given) };
  if (target.type.kind === "list" && Object.hasOwn(listCalls, name)) return listCalls[name]!(target, args);
  switch (name) {
    case "replace":
      return { cost: through(target, 2 * textCost), size: replaced(target, first!, second!) };
    case "split":
      return { cost: through(target, 2 * textCost), size: { min: 0, max: most(target) } };
    case "join":
      return joined(target, first, given);
    case "find":
    case "findAll":
      return {
        cost: capped(share(most(target) + 1, textCost) * through(first!, regexCost)),
        size: { min: 0, max: most(target) },
      };
    case "matches":
      return { cost: capped(share(most(target) + 1, textCost) * through(first!, regexCost)) };
    case "contains":
      return { cost: capped(through(target) * through(first!)) };
    case "startsWith":
    case "endsWith":
      return { cost: through(first!) };
    case "format":
      return { cost: through(target) };
    case "validate":
      return { cost: share(through(first!), formatRegexCost * regexCost) };
    case "containsIP":
      return { cost: 4 + (isText(first!) ? through(first!) : 0) };
    case "containsCIDR":
      return { cost: 7 + (isText(first!) ? through(first!) : 0) };
    case "check":
      return { cost: checkCost };
    default:
      return { cost: 1 };
  }
}

function functionCost(
  name: string,
  first: Estimate | undefined,
  second: Estimate | undefined,
  args: readonly Estimate[],
): Call {
  if (first === undefined) return { cost: 1 };
  if (parsers.has(name) || name === "ip") return { cost: through(first) };
  if (second !== undefined && Object.hasOwn(setFactors, name))
    return { cost: share(capped(most(first) * most(second)), setFactors[name]!) + 1 };
  switch (name) {
    case "lists.range":
      return listOf(1, { min: 0, max: number(first, Number.MAX_VALUE) });
    case "url":
    case "jsonpatch.escapeKey":
      return { cost: through(first), size: sizeOf(first) };
    case "ip.isCanonical":
      return { cost: through(first, 2 * textCost) };
    case "strings.quote":
      return { cost: through(first), size: { min: sizeOf(first).min + 2, max: capped(most(first) * 2 + 2) } };
    case "bytes":
      return first.type.kind === "string"
        ? { cost: through(first), size: { min: sizeOf(first).min, max: capped(most(first) * 4) } }
        : { cost: 1 };
    case "string":
      return first.type.kind === "bytes"
        ? { cost: through(first), size: { min: Math.floor(sizeOf(first).min / 4), max: most(first) } }
        : { cost: 1 };
    default:
      return second === undefined || args.length !== 2 ? { cost: 1 } : operatorCost(name, first, second);
  }
}

function operatorCost(name: string, a: Estimate, b: Estimate): Call {
  switch (name) {
    case "==":
    case "!=":
      return { cost: isOpaque(a.type) ? 1 : share(Math.min(most(a), most(b)), textCost) };
    case "<":
    case "<=":
    case ">":
    case ">=":
      return {
        cost:
          isText(a) || isText(b)
            ? share(Math.min(most(a), most(b)), textCost)
            : isOpen(a) && isOpen(b)
              ? Math.max(1, share(Math.min(most(a), most(b)), textCost))
              : 1,
      };
    case "+": {
      const size = sumOf(sizeOf(a), sizeOf(b));
      if (isText(a) || isText(b)) return { cost: share(size.max, textCost), size };
      if (a.type.kind === "list" || b.type.kind === "list")
        return {
          cost: 1,
          size,
          entry:
            a.entry === undefined || b.entry === undefined
              ? (a.entry ?? b.entry)
              : { min: Math.min(a.entry.min, b.entry.min), max: Math.max(a.entry.max, b.entry.max) },
        };
      return isOpen(a) && isOpen(b) ? { cost: Math.max(1, share(size.max, textCost)), size } : { cost: 1 };
    }
    case "in":
      return { cost: b.type.kind === "list" || isOpen(b) ? most(b) : 1 };
    default:
      return { cost: 1 };
  }
}

/** True if values of a type compare in one step, such as quantities. */
function isOpaque(type: CelStaticType): boolean {
  return type.kind === "object" && /^(kubernetes|net)\./.test(type.name);
}

function itemSize({ path }: Estimate, { schema, root }: { readonly schema: Schema; readonly root: boolean }): number {
  return (path.length === 0 ? undefined : largestAt(schema, [...path.slice(1), "@items"], root)) ?? Number.MAX_VALUE;
}

function comparison(target: Estimate, given: { readonly schema: Schema; readonly root: boolean }): number {
  if (target.type.kind !== "list") return through(target);
  const { kind } = target.type.item;
  return capped(
    most(target) * (1 + (kind === "string" || kind === "bytes" ? share(itemSize(target, given), textCost) : 0)),
  );
}

function replaced(target: Estimate, from: Estimate, to: Estimate): Size {
  const [whole, search, other] = [sizeOf(target), sizeOf(from), sizeOf(to)];
  if (search.min === 0) return { min: 0, max: capped((whole.max + 1) * other.max + whole.max) };
  if (other.max <= search.min) return { min: 0, max: whole.max };
  return { min: 0, max: capped(Math.ceil(whole.max / search.min) * other.max) };
}

function joined(
  target: Estimate,
  separator: Estimate | undefined,
  given: { readonly schema: Schema; readonly root: boolean },
): Call {
  const length = most(target);
  const max = capped(
    capped(length * itemSize(target, given)) +
      (separator === undefined ? 0 : capped(most(separator) * Math.max(length - 1, 0))),
  );
  return { cost: share(max, textCost), size: { min: 0, max } };
}
