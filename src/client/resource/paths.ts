import type { Kind } from "../../meta/kind.js";

/** The fields of a kind that form its URLs. */
export type PathKind = Pick<Kind, "group" | "version" | "plural">;

/**
 * Throws a `TypeError` if a value can't be one segment of a URL path. This keeps a crafted name from reaching another
 * path.
 */
export function checkSegment(what: string, value: unknown): asserts value is string {
  if (typeof value !== "string")
    throw new TypeError(`${what} must be a string, not ${value === null ? "null" : typeof value}`);
  if (plainSegment.test(value)) return;
  if (value === "") throw new TypeError(`${what} must not be empty`);
  if (value === "." || value === "..") throw new TypeError(`${what} must not be "${value}"`);
  const bad = /[/%]/.exec(value);
  if (bad) throw new TypeError(`${what} ${JSON.stringify(clip(value))} must not contain "${bad[0]}"`);
  if (/[\uD800-\uDFFF]/u.test(value))
    throw new TypeError(`${what} ${JSON.stringify(clip(value))} is not well-formed Unicode`);
}

/** Matches segments that need no escaping, which are most. */
const plainSegment = /^[A-Za-z0-9][\w.:-]*$/;

/** Returns the path of a kind's collection, in one namespace or across all. */
export function collectionPath(kind: PathKind, namespace?: string): string {
  if (kind.group !== "") checkSegment("API group", kind.group);
  checkSegment("API version", kind.version);
  checkSegment("resource", kind.plural);
  const root =
    kind.group === "" ? `/api/${escape(kind.version)}` : `/apis/${escape(kind.group)}/${escape(kind.version)}`;
  if (namespace === undefined) return `${root}/${escape(kind.plural)}`;
  checkSegment("namespace", namespace);
  return `${root}/namespaces/${escape(namespace)}/${escape(kind.plural)}`;
}

/** Returns the path of an object or one of its subresources below its collection. */
export function objectPath(collection: string, name: string, subresource?: string): string {
  checkSegment("name", name);
  const path = `${collection}/${escape(name)}`;
  if (subresource === undefined) return path;
  checkSegment("subresource", subresource);
  return `${path}/${escape(subresource)}`;
}

/** Escapes a segment but leaves colons, which are common in names (`system:node`) and allowed in a path. */
function escape(segment: string): string {
  return plainSegment.test(segment) ? segment : encodeURIComponent(segment).replaceAll("%3A", ":");
}

function clip(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
