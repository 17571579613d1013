import { canonicalText } from "../internal/go-text.js";
import { isJsonObject, type JsonObject } from "../internal/json-value.js";

/**
 * One step of a field path, written as in `fieldsV1`: `f:name` a member, `k:{"name":"a"}` an element of a list by its keys,
 * `v:"x"` an element of a set, `i:0` an element of an atomic list.
 */
export type PathElement = string;

/** Steps to members by their names: most are the same few, and a text made once needs no new hash. */
const members = new Map<string, PathElement>();
const MOST_MEMBERS = 4096;

/** The step to the member `name` of a map. */
export function fieldElement(name: string): PathElement {
  let element = members.get(name);
  if (element === undefined) {
    element = `f:${name}`;
    if (members.size >= MOST_MEMBERS) members.clear();
    members.set(name, element);
  }
  return element;
}

/** The step to the element of a list that has these keys, which must come in alphabetical order. */
export function keyElement(keys: readonly (readonly [string, unknown])[]): PathElement {
  return `k:{${keys.map(([name, value]) => `${canonicalText(name)}:${canonicalText(value)}`).join(",")}}`;
}

/** The step to this element of a set. */
export function valueElement(value: unknown): PathElement {
  return `v:${canonicalText(value)}`;
}

/** The name of the member, or undefined for other steps. */
export function fieldName(element: PathElement): string | undefined {
  return element.startsWith("f:") ? element.slice(2) : undefined;
}

/**
 * The step in its one spelling, however a client wrote its JSON; undefined for a kind of step that is not known. Throws a `SyntaxError` for a
 * broken one.
 */
export function normalizePathElement(text: string): PathElement | undefined {
  if (text.length < 2 || text[1] !== ":") throw new SyntaxError(`missing colon: ${text}`);
  switch (text[0]) {
    case "f":
      return text;
    case "v":
      return valueElement(JSON.parse(text.slice(2)));
    case "k": {
      const keys: unknown = JSON.parse(text.slice(2));
      if (!isJsonObject(keys)) throw new SyntaxError(`not an object: ${text}`);
      return keyElement(Object.entries(keys).sort(([a], [b]) => compareText(a, b)));
    }
    case "i": {
      if (!/^[+-]?[0-9]+$/.test(text.slice(2))) throw new SyntaxError(`not an index: ${text}`);
      return `i:${Number(text.slice(2))}`;
    }
    default:
      return undefined;
  }
}

/** The step as conflicts show it: `.name`, `[name="a"]`, `[="x"]`, `[0]`. */
export function formatPathElement(element: PathElement): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${rest}`;
    case "k":
      return `[${Object.entries(JSON.parse(rest) as JsonObject)
        .map(([name, value]) => `${name}=${formatValue(value)}`)
        .join(",")}]`;
    case "v":
      return `[=${formatValue(JSON.parse(rest))}]`;
    default:
      return `[${rest}]`;
  }
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatValue).join(",")}]`;
  if (isJsonObject(value))
    return Object.keys(value)
      .map((name) => `${name}=${formatValue(value[name])}`)
      .join("");
  return JSON.stringify(value) ?? "null";
}

/** Puts the steps of one level in the order of `fieldsV1`: members, keys, values, indices, each by what they hold. */
export function sortPathElements(elements: PathElement[]): PathElement[] {
  if (elements.every((element) => element.startsWith("f:"))) return elements.sort(compareText);
  const decoded = new Map(elements.map((element) => [element, decode(element)] as const));
  return elements.sort((a, b) => rank(a) - rank(b) || compareDecoded(a, b, decoded));
}

function rank(element: PathElement): number {
  return "fkvi".indexOf(element[0] ?? "");
}

function decode(element: PathElement): unknown {
  const rest = element.slice(2);
  switch (element[0]) {
    case "f":
      return rest;
    case "k":
      return Object.entries(JSON.parse(rest) as JsonObject);
    case "v":
      return JSON.parse(rest);
    default:
      return Number(rest);
  }
}

function compareDecoded(a: PathElement, b: PathElement, decoded: ReadonlyMap<PathElement, unknown>): number {
  const left = decoded.get(a);
  const right = decoded.get(b);
  if (a[0] !== "k") return compareValues(left, right);
  const leftKeys = left as [string, unknown][];
  const rightKeys = right as [string, unknown][];
  for (const [at, [name, value]] of leftKeys.entries()) {
    const other = rightKeys[at];
    if (other === undefined) return 1;
    const order = compareText(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return leftKeys.length - rightKeys.length;
}

/** Numbers before texts before booleans before lists, maps and null. */
function compareValues(a: unknown, b: unknown): number {
  const order = typeRank(a) - typeRank(b);
  if (order !== 0) return order;
  if (typeof a === "number") return a - (b as number);
  if (typeof a === "boolean") return Number(a) - Number(b);
  return compareText(typeof a === "string" ? a : JSON.stringify(a), typeof b === "string" ? b : JSON.stringify(b));
}

function typeRank(value: unknown): number {
  if (value === null) return 6;
  if (Array.isArray(value)) return 4;
  return ["number", "string", "boolean", "", "", "object"].indexOf(typeof value);
}

/** Order of the texts' UTF-8 bytes, as Go compares them. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    // Surrogates stand for the code points beyond all others.
    if (left !== right) return utf8Rank(left) - utf8Rank(right);
  }
  return a.length - b.length;
}

function utf8Rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
