import { formatPathElement, normalizePathElement, type PathElement, sortPathElements } from "./path-element.js";

/**
 * A set of fields in the form of `fieldsV1`. A key is a path element. A node `{}` is a member of the set; `{ ".": {} }` beside
 * other keys makes a node with children a member as well. Sets are never changed once built, and may share nodes.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

/** A set under construction. */
export interface MutableFieldSet {
  [element: PathElement]: MutableFieldSet;
}

/** A path from the root of an object. */
export type FieldPath = readonly PathElement[];

/** No field. As a node below the root it stands for a leaf that is a member. */
export const emptyFieldSet: FieldSet = Object.freeze({});
const leaf: MutableFieldSet = emptyFieldSet;

function isMember(node: FieldSet | undefined): boolean {
  if (node === undefined) return false;
  return "." in node || isLeaf(node);
}

function isLeaf(node: FieldSet): boolean {
  for (const _ in node) return false;
  return true;
}

function hasChildren(node: FieldSet): boolean {
  for (const key in node) if (key !== ".") return true;
  return false;
}

/** A node from its own membership and its children, whose mark is of no account; undefined if there is neither. */
function makeNode(member: boolean, children: FieldSet): FieldSet | undefined {
  if (!hasChildren(children)) return member ? leaf : undefined;
  if (member) return "." in children ? children : { ".": leaf, ...children };
  if (!("." in children)) return children;
  const { ".": _mark, ...rest } = children;
  return rest;
}

/** Whether the set has no member at all. */
export function isEmptyFieldSet(set: FieldSet): boolean {
  return !hasChildren(set);
}

/** Makes the step a member of the node, beside what the node already holds below it. */
export function markElement(node: MutableFieldSet, element: PathElement): void {
  const below = node[element];
  if (below === undefined) node[element] = leaf;
  else if (hasChildren(below)) below["."] = leaf;
}

/** The node below a step, to be filled; it is made if there is none. */
export function nodeBelow(node: MutableFieldSet, element: PathElement): MutableFieldSet {
  const below = node[element];
  if (below !== undefined && below !== leaf) return below;
  return (node[element] = below === undefined ? {} : { ".": leaf });
}

function put(children: MutableFieldSet, key: PathElement, node: FieldSet | undefined): void {
  if (node !== undefined) children[key] = node;
}

/** Whether the path itself is a member. */
export function hasPath(set: FieldSet, path: FieldPath): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = node[element];
    if (node === undefined) return false;
  }
  return path.length > 0 && isMember(node);
}

/** Whether the single step is a member. */
export function hasElement(set: FieldSet, element: PathElement): boolean {
  return isMember(set[element]);
}

/** What the set holds below a step. */
export function withPrefix(set: FieldSet, element: PathElement): FieldSet {
  return set[element] ?? emptyFieldSet;
}

/** Fields of either set. */
export function unionSets(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || !hasChildren(b)) return a;
  if (!hasChildren(a)) return b;
  const result: MutableFieldSet = {};
  for (const key in a) {
    if (key === ".") continue;
    const left = a[key]!;
    const right = b[key];
    put(
      result,
      key,
      right === undefined || right === left
        ? left
        : makeNode(isMember(left) || isMember(right), unionSets(left, right)),
    );
  }
  for (const key in b) if (key !== "." && !(key in a)) put(result, key, b[key]);
  return result;
}

/** Fields of both sets. */
export function intersectSets(a: FieldSet, b: FieldSet): FieldSet {
  const result: MutableFieldSet = {};
  for (const key in a) {
    const left = a[key]!;
    const right = key === "." ? undefined : b[key];
    if (right !== undefined) put(result, key, makeNode(isMember(left) && isMember(right), intersectSets(left, right)));
  }
  return result;
}

/** Fields of `a` that are not in `b`, each judged by itself. */
export function subtractSets(a: FieldSet, b: FieldSet): FieldSet {
  const result: MutableFieldSet = {};
  for (const key in a) {
    if (key === ".") continue;
    const left = a[key]!;
    const right = b[key];
    put(
      result,
      key,
      right === undefined ? left : makeNode(isMember(left) && !isMember(right), subtractSets(left, right)),
    );
  }
  return result;
}

/** Fields of `a` that neither are in `b` nor lie below one that is. */
export function subtractSubtrees(a: FieldSet, b: FieldSet): FieldSet {
  const result: MutableFieldSet = {};
  for (const key in a) {
    if (key === "." || isMember(b[key])) continue;
    const left = a[key]!;
    const right = b[key];
    put(result, key, right === undefined ? left : makeNode(isMember(left), subtractSubtrees(left, right)));
  }
  return result;
}

/** Every path of the set: at each level the members first, then what lies below them. */
export function pathsOf(set: FieldSet, prefix: FieldPath = []): FieldPath[] {
  const keys = sortPathElements(Object.keys(set).filter((key) => key !== "."));
  return [
    ...keys.filter((key) => isMember(set[key])).map((key) => [...prefix, key]),
    ...keys.flatMap((key) => pathsOf(set[key]!, [...prefix, key])),
  ];
}

/** The path as conflicts show it, `.spec.containers[name="a"].image`. */
export function formatPath(path: FieldPath): string {
  return path.map(formatPathElement).join("");
}

/** Reads a `fieldsV1` of a client or of the store. Steps of unknown kind are dropped; a broken one is a `SyntaxError`. */
export function decodeFieldSet(fields: unknown): FieldSet {
  if (typeof fields !== "object" || fields === null || Array.isArray(fields))
    throw new SyntaxError("fieldsV1 is not an object");
  return decodeChildren(fields as Record<string, unknown>);
}

function decodeChildren(fields: Record<string, unknown>): FieldSet {
  const result: MutableFieldSet = {};
  for (const key of Object.keys(fields)) {
    if (key === ".") continue;
    const element = normalizePathElement(key);
    if (element === undefined) continue;
    const below = fields[key] ?? {};
    if (typeof below !== "object" || Array.isArray(below)) throw new SyntaxError(`fieldsV1 has no object at ${key}`);
    const children = below as Record<string, unknown>;
    const set = decodeChildren(children);
    put(result, element, makeNode(Object.hasOwn(children, ".") || !hasChildren(set), set));
  }
  return result;
}

/** The `fieldsV1` of a set, its keys in upstream's order. */
export function encodeFieldSet(set: FieldSet): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  if ("." in set) result["."] = {};
  for (const key of sortPathElements(Object.keys(set).filter((name) => name !== ".")))
    result[key] = encodeFieldSet(set[key]!);
  return result;
}

/** A set of plain member paths, each given by its field names. */
export function fieldSetOf(...paths: readonly (readonly string[])[]): FieldSet {
  const set: MutableFieldSet = {};
  for (const path of paths) {
    let node = set;
    for (const name of path.slice(0, -1)) node = nodeBelow(node, `f:${name}`);
    markElement(node, `f:${path.at(-1) ?? ""}`);
  }
  return set;
}
