import { formatPathElement, normalizePathElement, type PathElement, sortPathElements } from "./path-element.js";

/**
 * A set of fields in the form of `fieldsV1`. Each key is a path element. A node `{}` is a member of the set; `"."` next
 * to other keys makes a node with children a member too. Sets are immutable and may share nodes.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

/** A set under construction. */
export interface MutableFieldSet {
  [element: PathElement]: MutableFieldSet;
}

/** Path from the root of an object. */
export type FieldPath = readonly PathElement[];

/** The empty set. As a node below the root, it is a leaf that is a member. */
export const emptyFieldSet: FieldSet = Object.freeze({});
const leaf: MutableFieldSet = emptyFieldSet;

function isMember(node: FieldSet | undefined): boolean {
  if (node === undefined) return false;
  return "." in node || isLeaf(node);
}

/** True if a node has nothing below it. */
export function isLeaf(node: FieldSet): boolean {
  for (const _ in node) return false;
  return true;
}

function hasChildren(node: FieldSet): boolean {
  for (const key in node) if (key !== ".") return true;
  return false;
}

/** Creates a node from its membership and children, ignoring the children's `"."`; `undefined` if there is neither. */
function makeNode(member: boolean, children: FieldSet): FieldSet | undefined {
  if (!hasChildren(children)) return member ? leaf : undefined;
  if (member) return "." in children ? children : { ".": leaf, ...children };
  if (!("." in children)) return children;
  const { ".": _mark, ...rest } = children;
  return rest;
}

/** True if the set has no members. */
export function isEmptyFieldSet(set: FieldSet): boolean {
  return !hasChildren(set);
}

/** Adds the path element as a member; keeps the members below it. */
export function markElement(node: MutableFieldSet, element: PathElement): void {
  const below = node[element];
  if (below === undefined) node[element] = leaf;
  else if (hasChildren(below)) below["."] = leaf;
}

/** Returns the node below a path element and creates it if necessary. */
export function nodeBelow(node: MutableFieldSet, element: PathElement): MutableFieldSet {
  const below = node[element];
  if (below !== undefined && below !== leaf) return below;
  return (node[element] = below === undefined ? {} : { ".": leaf });
}

function put(children: MutableFieldSet, key: PathElement, node: FieldSet | undefined): void {
  if (node !== undefined) children[key] = node;
}

/** True if the path itself is a member. */
export function hasPath(set: FieldSet, path: FieldPath): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = node[element];
    if (node === undefined) return false;
  }
  return path.length > 0 && isMember(node);
}

/** True if the single path element is a member. */
export function hasElement(set: FieldSet, element: PathElement): boolean {
  return isMember(set[element]);
}

/** Returns the part of the set below a path element. */
export function withPrefix(set: FieldSet, element: PathElement): FieldSet {
  return set[element] ?? emptyFieldSet;
}

/**
 * Nodes by their content, in two generations: a node that is used again moves to the new one. Objects of a workload have
 * the same few nodes, and most have one that names the object, such as its IP address, with all nodes above it.
 */
let sharedNodes = new Map<string, FieldSet>();
let olderNodes = new Map<string, FieldSet>();
let generationSize = 0;
/** Size of a generation: characters of its keys, and a number for each node. */
const largestGeneration = 256 * 1024;
const nodeSize = 64;
const longestShared = 16_384;
const largestShared = 512;
/** Numbers of the nodes that are shared. Evicted ones keep theirs, and later equal nodes get another one. */
const sharedNumbers = new WeakMap<FieldSet, number>([[emptyFieldSet, 0]]);
let lastNumber = 0;

/**
 * Returns the instance of this set that all writes share, so that operations with it and its encoding are computed once.
 * The set may not change any more: its nodes are replaced by shared ones. Large sets are not shared.
 */
export function sharedSet(set: FieldSet): FieldSet {
  if (!hasChildren(set)) return emptyFieldSet;
  if (sharedNumbers.has(set) || nodesLeft(set, largestShared) < 0) return set;
  return sharedNode(set);
}

/** Shares the nodes below a node, then the node itself. A node with a long key, and those above it, aren't shared. */
function sharedNode(node: MutableFieldSet): MutableFieldSet {
  if (sharedNumbers.has(node)) return node;
  if (isLeaf(node)) return leaf;
  let key: string | undefined = "";
  for (const element in node) {
    const below = node[element]!;
    const shared = sharedNode(below);
    if (shared !== below) node[element] = shared;
    const number = sharedNumbers.get(shared);
    key = number === undefined || key === undefined ? undefined : `${key}${element.length}:${element}${number},`;
  }
  return key === undefined || key.length > longestShared ? node : nodeByKey(key, node);
}

/** Returns the shared node with this content. The first node with a content becomes the shared one. */
function nodeByKey(key: string, node: FieldSet): FieldSet {
  let shared = sharedNodes.get(key);
  if (shared !== undefined) return shared;
  shared = olderNodes.get(key);
  if (shared === undefined) {
    shared = node;
    lastNumber += 1;
    sharedNumbers.set(node, lastNumber);
  }
  generationSize += key.length + nodeSize;
  if (generationSize > largestGeneration) {
    olderNodes = sharedNodes;
    sharedNodes = new Map<string, FieldSet>();
    generationSize = key.length + nodeSize;
  }
  sharedNodes.set(key, shared);
  return shared;
}

/** Returns how many of a number of nodes are left after those of a set; negative for a set with more nodes. */
function nodesLeft(set: FieldSet, most: number): number {
  let left = most;
  for (const key in set) {
    left = nodesLeft(set[key]!, left - 1);
    if (left < 0) break;
  }
  return left;
}

/** Operation on two sets. */
type SetOperation = (a: FieldSet, b: FieldSet) => FieldSet;

/** Wraps an operation so that it runs once for each pair of shared sets. Its results are shared, too. */
function remembered(operation: SetOperation): SetOperation {
  const known = new WeakMap<FieldSet, WeakMap<FieldSet, FieldSet>>();
  return (a, b) => {
    if (!sharedNumbers.has(a) || !sharedNumbers.has(b)) return operation(a, b);
    let results = known.get(a);
    if (results === undefined) known.set(a, (results = new WeakMap()));
    let result = results.get(b);
    if (result === undefined) results.set(b, (result = sharedSet(operation(a, b))));
    return result;
  };
}

/**
 * Returns an operation whose result has what `combine` makes of each node of `a` and the same node of `b`. It returns `a`
 * itself if nothing changes, so that a shared set stays shared.
 */
function nodeByNode(combine: (left: FieldSet, right: FieldSet | undefined) => FieldSet | undefined): SetOperation {
  return (a, b) => {
    const result: MutableFieldSet = {};
    let same = true;
    for (const key in a) {
      if (key === ".") continue;
      const left = a[key]!;
      const node = combine(left, b[key]);
      if (node !== left) same = false;
      put(result, key, node);
    }
    return same ? a : result;
  };
}

const keepUnited = nodeByNode((left, right) =>
  right === undefined || right === left ? left : makeNode(isMember(left) || isMember(right), union(left, right)),
);

function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || !hasChildren(b)) return a;
  if (!hasChildren(a)) return b;
  const added = Object.keys(b).filter((key) => key !== "." && !(key in a));
  const united = keepUnited(a, b);
  if (added.length === 0) return united;
  const result: MutableFieldSet = { ...united };
  for (const key of added) put(result, key, b[key]);
  return result;
}

const intersect = nodeByNode((left, right) =>
  right === undefined || right === left ? right : makeNode(isMember(left) && isMember(right), intersect(left, right)),
);

const subtract = nodeByNode((left, right) =>
  right === undefined ? left : makeNode(isMember(left) && !isMember(right), subtract(left, right)),
);

const subtractBelow = nodeByNode((left, right) => {
  if (right === undefined) return left;
  return isMember(right) ? undefined : makeNode(isMember(left), subtractBelow(left, right));
});

/** Returns the fields in either set. */
export const unionSets: SetOperation = remembered(union);

/** Returns the fields in both sets. */
export const intersectSets: SetOperation = remembered(intersect);

/** Returns the fields of `a` that aren't in `b`, regardless of their ancestors. */
export const subtractSets: SetOperation = remembered(subtract);

/** Returns the fields of `a` that are neither in `b` nor below a member of it. */
export const subtractSubtrees: SetOperation = remembered(subtractBelow);

/** Returns every path of the set: at each level the members first, then the paths below. */
export function pathsOf(set: FieldSet, prefix: FieldPath = []): FieldPath[] {
  const keys = sortPathElements(Object.keys(set).filter((key) => key !== "."));
  return [
    ...keys.filter((key) => isMember(set[key])).map((key) => [...prefix, key]),
    ...keys.flatMap((key) => pathsOf(set[key]!, [...prefix, key])),
  ];
}

/** Formats a path for conflict messages: `.spec.containers[name="a"].image`. */
export function formatPath(path: FieldPath): string {
  return path.map(formatPathElement).join("");
}

/** Sets by their encodings, which objects in memory share with the writes before. */
const encodedSets = new WeakMap<object, FieldSet>();

/** Cache of decoded sets by the text of their `fieldsV1`. */
const setsByText = new Map<string, FieldSet>();
const mostTexts = 256;

function decodedSet(fields: Record<string, unknown>): FieldSet {
  const text = JSON.stringify(fields);
  let set = setsByText.get(text);
  if (set === undefined) {
    set = decodeChildren(fields);
    if (text.length > longestShared) return set;
    set = sharedSet(set);
    if (setsByText.size >= mostTexts) setsByText.clear();
    setsByText.set(text, set);
  }
  return set;
}

/** Parses `fieldsV1`. Path elements of unknown kind are dropped; throws a `SyntaxError` for a malformed one. */
export function decodeFieldSet(fields: unknown): FieldSet {
  if (typeof fields !== "object" || fields === null || Array.isArray(fields))
    throw new SyntaxError("fieldsV1 is not an object");
  return encodedSets.get(fields) ?? decodedSet(fields as Record<string, unknown>);
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

/** Encodings of nodes with children. A changed set shares most nodes with the set that it was derived from. */
const encodings = new WeakMap<FieldSet, Readonly<Record<string, unknown>>>();
const encodedLeaf: Readonly<Record<string, unknown>> = Object.freeze({});

/** Returns the `fieldsV1` of a set with its keys in kube-apiserver's order. Its parts are frozen, because they are shared. */
export function encodeFieldSet(set: FieldSet): Readonly<Record<string, unknown>> {
  const encoded = encodeNode(set);
  if (encoded !== encodedLeaf) encodedSets.set(encoded, set);
  return encoded;
}

function encodeNode(set: FieldSet): Readonly<Record<string, unknown>> {
  if (isLeaf(set)) return encodedLeaf;
  let result = encodings.get(set);
  if (result === undefined) {
    const members: Record<string, unknown> = {};
    if ("." in set) members["."] = encodedLeaf;
    for (const key of sortPathElements(Object.keys(set).filter((name) => name !== ".")))
      members[key] = encodeNode(set[key]!);
    result = Object.freeze(members);
    encodings.set(set, result);
  }
  return result;
}

/** Creates a set of member paths, each given by its field names. */
export function fieldSetOf(...paths: readonly (readonly string[])[]): FieldSet {
  const set: MutableFieldSet = {};
  for (const path of paths) {
    let node = set;
    for (const name of path.slice(0, -1)) node = nodeBelow(node, `f:${name}`);
    markElement(node, `f:${path.at(-1) ?? ""}`);
  }
  return sharedSet(set);
}
