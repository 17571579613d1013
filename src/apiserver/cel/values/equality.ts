import {
  CelDuration,
  CelError,
  type CelList,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelType,
  CelUint,
  type CelValue,
  isCelList,
  isCelMap,
  keyText,
} from "./values.js";

/** Counts steps of a computation. Throws a `CelError` if there are too many. */
export type Meter = (steps: number) => void;

/** Steps of comparing two lists or maps, apart from their elements. */
const stepsPerContainer = 5;

function asNumber(value: CelValue): bigint | number | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return value instanceof CelUint ? value.value : undefined;
}

/**
 * Compares two values for equality; numbers of all types compare by value. Each compared pair is a step, because a list
 * can contain another one any number of times.
 */
export function celEquals(a: CelValue, b: CelValue, work: Meter): boolean {
  work(1);
  const left = asNumber(a);
  const right = asNumber(b);
  // eslint-disable-next-line eqeqeq -- integers and doubles are compared by value
  if (left !== undefined && right !== undefined) return left == right;
  if (a === b) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  if (a instanceof Uint8Array)
    return b instanceof Uint8Array && a.length === b.length && a.every((byte, at) => byte === b[at]);
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.ns === b.ns;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.ns === b.ns;
  if (a instanceof CelType) return b instanceof CelType && a.name === b.name;
  if (a instanceof CelOpaque) {
    work(a.weight);
    return b instanceof CelOpaque && a.typeName === b.typeName && a.equals(b);
  }
  if (a instanceof CelOptional)
    return (
      b instanceof CelOptional &&
      (a.value === undefined ? b.value === undefined : b.value !== undefined && celEquals(a.value, b.value, work))
    );
  work(stepsPerContainer);
  if (isCelList(a)) return isCelList(b) && listsEqual(a, b, work);
  if (!isCelMap(a) || !isCelMap(b) || a.size !== b.size) return false;
  return a.keys().every((key) => {
    const value = a.get(key);
    const other = b.get(key);
    return value === undefined || other === undefined ? value === other : celEquals(value, other, work);
  });
}

function listsEqual(a: CelList, b: CelList, work: Meter): boolean {
  if (a.length !== b.length) return false;
  if (a.listType === undefined && b.listType === undefined) return a.every((item, at) => celEquals(item, b[at]!, work));
  // kube-apiserver hashes the elements of a set, which isn't possible for maps and lists.
  const odd = a.listType === "set" ? a.find((item) => isCelMap(item) || isCelList(item)) : undefined;
  if (odd !== undefined)
    throw new CelError(
      `internal error: runtime error: hash of unhashable type ${isCelMap(odd) ? "map[string]interface {}" : "[]interface {}"}`,
    );
  // Sets, and lists whose elements have keys, are equal in any order.
  const type = a.listType === undefined ? b : a;
  const others = identified(b, type, work);
  const own = identified(a, type, work);
  return (
    own.size === others.size &&
    [...own].every(([identity, item]) => {
      const other = others.get(identity);
      return other !== undefined && celEquals(item, other, work);
    })
  );
}

/** Returns the elements of a list by what distinguishes them in a list of this type: their value or their keys. */
export function identified(list: CelList, { listType, mapKeys = [] }: CelList, work: Meter): Map<string, CelValue> {
  return new Map(
    list.map((item) => {
      const distinct =
        listType === "map" && isCelMap(item) ? mapKeys.map((key): CelValue => item.get(key) ?? null) : item;
      return [identityOf(distinct, work), item] as const;
    }),
  );
}

/** Returns a text that is the same for equal values. */
function identityOf(value: CelValue, work: Meter): string {
  work(1);
  if (value instanceof CelTimestamp || value instanceof CelDuration) return `${value.constructor.name}${value.ns}`;
  if (value instanceof Uint8Array) return `bytes${value.join()}`;
  if (isCelList(value)) return `[${value.map((item) => quoted(identityOf(item, work))).join()}]`;
  if (!isCelMap(value)) return keyText(value);
  const members = value.keys().map((key) => {
    return `${quoted(keyText(key))}:${quoted(identityOf(value.get(key) ?? null, work))}`;
  });
  return `{${members.sort().join()}}`;
}

const quoted = (text: string): string => `${text.length}:${text}`;

/** Compares two ordered values. Throws a `CelError` for other types. */
export function celCompare(a: CelValue, b: CelValue): number {
  const left = asNumber(a);
  const right = asNumber(b);
  if (left !== undefined && right !== undefined) return left < right ? -1 : left > right ? 1 : 0;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (
    (a instanceof CelTimestamp && b instanceof CelTimestamp) ||
    (a instanceof CelDuration && b instanceof CelDuration)
  )
    return a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : 0;
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    for (let at = 0; at < Math.min(a.length, b.length); at += 1) if (a[at] !== b[at]) return a[at]! - b[at]!;
    return a.length - b.length;
  }
  throw new CelError("no such overload");
}
