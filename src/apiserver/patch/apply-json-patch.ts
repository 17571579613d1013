import { canonicalText } from "../internal/go-text.js";
import { getOwn, isJsonObject, type JsonObject, setOwn } from "../internal/json-value.js";
import { type RawJsonPatchOperation, SpelledScalar } from "./decode-json-patch.js";
import { PatchError } from "./patch-error.js";

/** How many operations one JSON patch may hold. */
export const maxJsonPatchOperations = 10_000;
/** How many bytes the copies of one JSON patch may make together. */
export const maxJsonPatchCopyBytes: number = 3 * 1024 * 1024;

type Container = JsonObject | unknown[];

/**
 * Applies a JSON patch with the semantics of kube-apiserver, which differ from RFC 6902: `replace` adds a missing key, a missing key equals
 * null in a test, indices count from the end when negative, tests compare how scalars are spelled, and the whole document can be replaced but
 * not added. Answers with a new value; neither input is changed.
 *
 * Throws a `PatchError` with code 413 for too many operations and 422 for an operation that does not apply.
 */
export function applyJsonPatch(document: unknown, operations: readonly RawJsonPatchOperation[]): unknown {
  return unspell(applyAll(document, operations).root);
}

/**
 * As `applyJsonPatch`, with the keys in the order in which a kube-apiserver writes the result down: where the patch went through an object they
 * are sorted, all else stands as it was, since the server knows these parts as bytes only.
 */
export function applyJsonPatchInOrder(document: unknown, operations: readonly RawJsonPatchOperation[]): unknown {
  const { root, opened } = applyAll(document, operations, new Set());
  opened?.add(root);
  return unspell(inOrder(root, opened));
}

function applyAll(document: unknown, operations: readonly RawJsonPatchOperation[], opened?: Set<unknown>): State {
  if (operations.length > maxJsonPatchOperations) {
    throw new PatchError(
      413,
      `The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${operations.length}`,
    );
  }
  const state: State = { root: clone(document) as Container, copied: 0, ...(opened === undefined ? {} : { opened }) };
  for (const operation of operations) applyOne(state, operation ?? {});
  return state;
}

/** A copy of the value with the keys of the opened objects sorted. */
function inOrder(value: unknown, opened: ReadonlySet<unknown> | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => inOrder(item, opened));
  if (!isContainer(value)) return value;
  const keys = Object.keys(value);
  const result: JsonObject = {};
  for (const key of opened?.has(value) === true ? keys.sort() : keys)
    setOwn(result, key, inOrder((value as JsonObject)[key], opened));
  return result;
}

/** Notes that a value and all in it was looked into. */
function openAll(value: unknown, opened: Set<unknown> | undefined): void {
  if (opened === undefined || !isContainer(value)) return;
  opened.add(value);
  for (const each of Object.values(value)) openAll(each, opened);
}

/** What a place is looked up for. */
type Use = "add" | "remove" | "replace" | "move from" | "move to" | "copy from" | "copy to" | "test";

/** What is told of a place that is not there. */
const lacking: Readonly<Record<Use, (path: string) => string>> = {
  add: (path) => `doc is missing path: "${path}"`,
  remove: (path) => `doc is missing path: "${path}"`,
  replace: (path) => `doc is missing path: ${path}`,
  "move from": (path) => `doc is missing from path: ${path}`,
  "move to": (path) => `doc is missing destination path: ${path}`,
  "copy from": (path) => `doc is missing from path: ${path}`,
  "copy to": (path) => `doc is missing destination path: ${path}`,
  test: (path) => `is missing path: ${path}`,
};

interface State {
  root: Container;
  copied: number;
  /** What the patch went through, where that is asked for. */
  readonly opened?: Set<unknown>;
}

function applyOne(state: State, operation: JsonObject): void {
  const kind = plain(getOwn(operation, "op"));
  switch (kind) {
    case "add": {
      const place = find(state, text(operation, "path"), "add");
      return named("add", text(operation, "path"), () =>
        add(place.container, place.key, clone(getOwn(operation, "value") ?? null)),
      );
    }
    case "remove": {
      const place = find(state, text(operation, "path"), "remove");
      return named("remove", text(operation, "path"), () => remove(place.container, place.key));
    }
    case "replace":
      return replace(state, operation);
    case "move": {
      const from = find(state, text(operation, "from"), "move from");
      const value = get(from.container, from.key) ?? null;
      remove(from.container, from.key);
      const to = find(state, text(operation, "path"), "move to");
      return add(to.container, to.key, value);
    }
    case "copy":
      return copy(state, operation);
    case "test":
      return test(state, operation);
    default:
      throw new PatchError(422, `Unexpected kind: ${typeof kind === "string" ? kind : "unknown"}`);
  }
}

/** Tells which operation failed. */
function named(kind: string, path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw new PatchError(error.code, `error in ${kind} for path: '${path}': ${error.message}`, { cause: error });
  }
}

function replace(state: State, operation: JsonObject): void {
  const path = text(operation, "path");
  const value = clone(getOwn(operation, "value") ?? null);
  if (path === "") {
    if (!isContainer(value)) throw new PatchError(422, "replace operation value must be object or array");
    state.root = value;
    return;
  }
  const { container, key } = find(state, path, "replace");
  if (Array.isArray(container)) container[index(container, key, container.length - 1)] = value;
  else setOwn(container, key, value);
}

function copy(state: State, operation: JsonObject): void {
  const from = find(state, text(operation, "from"), "copy from");
  const value = get(from.container, from.key);
  const to = find(state, text(operation, "path"), "copy to");
  if (value !== undefined && value !== null) state.copied += size(value);
  if (state.copied > maxJsonPatchCopyBytes) {
    throw new PatchError(
      422,
      `Unable to complete the copy, the accumulated size increase of copy is ${state.copied}, exceeding the limit ${maxJsonPatchCopyBytes}`,
    );
  }
  add(to.container, to.key, inOrder(value ?? null, state.opened));
}

function test(state: State, operation: JsonObject): void {
  const path = text(operation, "path");
  const wanted = getOwn(operation, "value");
  let found: unknown = state.root;
  if (path !== "") {
    const { container, key } = find(state, path, "test");
    found = get(container, key);
  }
  if (!same(found ?? null, wanted ?? null)) throw new PatchError(422, `testing value ${path} failed: test failed`);
  if (path !== "") openAll(found, state.opened);
}

function text(operation: JsonObject, field: "path" | "from"): string {
  const value = plain(getOwn(operation, field));
  if (typeof value !== "string") throw new PatchError(422, `operation missing ${field} field: missing value`);
  return value;
}

/** The container that holds the last step of a pointer. What stands before the pointer's first slash is of no account. */
function find(state: State, path: string, use: Use): { container: Container; key: string } {
  const steps = path.split("/").slice(1).map(decodeStep);
  const key = steps.pop();
  if (key === undefined) throw missing(path, use);
  let container: unknown = state.root;
  state.opened?.add(container);
  for (const step of steps) {
    container = Array.isArray(container)
      ? container[index(container, step, container.length - 1)]
      : getOwn(container as JsonObject, step);
    if (!isContainer(container)) throw missing(path, use);
    state.opened?.add(container);
  }
  return { container: container as Container, key };
}

function missing(path: string, use: Use): PatchError {
  return new PatchError(422, `${use.split(" ")[0]!} operation does not apply: ${lacking[use](path)}: missing value`);
}

function get(container: Container, key: string): unknown {
  return Array.isArray(container) ? container[index(container, key, container.length - 1)] : getOwn(container, key);
}

function add(container: Container, key: string, value: unknown): void {
  if (!Array.isArray(container)) setOwn(container, key, value);
  else if (key === "-") container.push(value);
  else container.splice(index(container, key, container.length), 0, value);
}

function remove(container: Container, key: string): void {
  if (Array.isArray(container)) container.splice(index(container, key, container.length - 1), 1);
  else if (Object.hasOwn(container, key)) Reflect.deleteProperty(container, key);
  else throw new PatchError(422, `Unable to remove nonexistent key: ${key}: missing value`);
}

/** An index as Go's `strconv.Atoi` reads it; a negative one counts from the end. */
function index(array: readonly unknown[], key: string, last: number): number {
  if (!/^[+-]?[0-9]+$/.test(key)) throw new PatchError(422, `value was not a proper array index: '${key}'`);
  const number = Number(key);
  const place = number < 0 ? number + last + 1 : number;
  if (place < 0 || place > last)
    throw new PatchError(422, `Unable to access invalid index: ${key}: invalid index referenced`);
  return place + 0;
}

function decodeStep(step: string): string {
  return step.replace(/~[01]/g, (escape) => (escape === "~1" ? "/" : "~"));
}

function isContainer(value: unknown): value is Container {
  return Array.isArray(value) || (isJsonObject(value) && !(value instanceof SpelledScalar));
}

function plain(value: unknown): unknown {
  return value instanceof SpelledScalar ? value.value : value;
}

function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, at) => same(item, b[at]));
  if (isContainer(a)) {
    if (!isContainer(b) || Array.isArray(b)) return false;
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && same((a as JsonObject)[key], b[key]))
    );
  }
  return !isContainer(b) && spelling(a) === spelling(b);
}

function spelling(scalar: unknown): string {
  return scalar instanceof SpelledScalar ? scalar.text : canonicalText(scalar);
}

function size(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(unspell(value))).length;
}

function clone(value: unknown): unknown {
  return map(value, (scalar) => scalar);
}

function unspell(value: unknown): unknown {
  return map(value, plain);
}

function map(value: unknown, scalar: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => map(item, scalar));
  if (!isContainer(value)) return scalar(value);
  const result: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(result, key, map((value as JsonObject)[key], scalar));
  return result;
}
