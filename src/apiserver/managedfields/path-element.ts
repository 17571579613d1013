import { canonicalText } from "../internal/go-text.js";
import { isJsonObject, type JsonObject } from "../internal/json-value.js";

/**
 * One element of a field path, encoded as in `fieldsV1`: `f:name` for a member, `k:{"name":"a"}` for a list element
 * with keys, `v:"x"` for an element of a set, `i:0` for an index.
 */
export type PathElement = string;

/** Cache of path elements by member name. Most are repeated, and a reused string keeps its hash. */
const members = new Map<string, PathElement>();
const mostMembers = 4096;
const longestMember = 256;

/** Returns the path element for a member. */
export function fieldElement(name: string): PathElement {
  let element = members.get(name);
  if (element === undefined) {
    element = `f:${name}`;
    if (members.size >= mostMembers) members.clear();
    if (name.length <= longestMember) members.set(name, element);
  }
  return element;
}

/** Returns the path element for a list element with these keys, which must be sorted alphabetically. */
export function keyElement(keys: readonly (readonly [string, unknown])[]): PathElement {
  return `k:{${keys.map(([name, value]) => `${canonicalText(name)}:${canonicalText(value)}`).join(",")}}`;
}

/** Returns the path element for a value in a set. */
export function valueElement(value: unknown): PathElement {
  return `v:${canonicalText(value)}`;
}

/** Returns the name of a member, or `undefined` for other path elements. */
export function fieldName(element: PathElement): string | undefined {
  return element.startsWith("f:") ? element.slice(2) : undefined;
}

/**
 * Normalizes a path element's JSON; returns `undefined` for an unknown kind. Throws a `SyntaxError` if it is malformed.
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

/** Formats a path element for conflict messages: `.name`, `[name="a"]`, `[="x"]`, `[0]`. */
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

/** Sorts path elements as in `fieldsV1`: members, keys, values, indices, each by content. */
export function sortPathElements(elements: PathElement[]): PathElement[] {
  if (elements.every((element) => element.startsWith("f:"))) return elements.sort(compareText);
  return elements
    .map((element): Decoded => ({ element, content: undefined }))
    .sort((a, b) => rank(a.element) - rank(b.element) || compareContents(a, b))
    .map(({ element }) => element);
}

function rank(element: PathElement): number {
  return "fkvi".indexOf(element[0] ?? "");
}

/** Cache of the content of path elements. Objects of a workload have the same elements. */
const contents = new Map<PathElement, unknown>();
const mostContents = 4096;
const longestContent = 256;

function contentOf(element: PathElement): unknown {
  let content = contents.get(element);
  if (content === undefined) {
    content = decode(element);
    if (contents.size >= mostContents) contents.clear();
    if (element.length <= longestContent) contents.set(element, content);
  }
  return content;
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

/** A path element that is sorted. Its content is parsed once, when the order depends on it. */
interface Decoded {
  readonly element: PathElement;
  content: unknown;
}

function compareContents(a: Decoded, b: Decoded): number {
  a.content ??= contentOf(a.element);
  b.content ??= contentOf(b.element);
  if (!a.element.startsWith("k")) return compareValues(a.content, b.content);
  const leftKeys = a.content as [string, unknown][];
  const rightKeys = b.content as [string, unknown][];
  for (const [at, [name, value]] of leftKeys.entries()) {
    const other = rightKeys[at];
    if (other === undefined) return 1;
    const order = compareText(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return leftKeys.length - rightKeys.length;
}

/** Orders numbers before strings before booleans before lists, maps and null. */
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

/** Compares by UTF-8 bytes, as Go does. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    // Surrogates stand for code points above all others.
    if (left !== right) return utf8Rank(left) - utf8Rank(right);
  }
  return a.length - b.length;
}

function utf8Rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
