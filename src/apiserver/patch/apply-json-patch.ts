import { setOwn } from "../../internal/set-own.js";
import { canonicalText } from "../internal/go-text.js";
import { getOwn, isJsonObject, type JsonObject } from "../internal/json-value.js";
import { type RawJsonPatchOperation, SpelledScalar } from "./decode-json-patch.js";
import { FailedTestError, PatchError } from "./patch-error.js";

/** Maximum number of operations in a JSON patch. */
export const maxJsonPatchOperations = 10_000;
/** Maximum number of bytes that the copies of a JSON patch may add in total. */
export const maxJsonPatchCopyBytes: number = 3 * 1024 * 1024;

type Container = JsonObject | unknown[];

/**
 * Applies a JSON patch with the semantics of kube-apiserver, which differ from RFC 6902: `replace` adds a missing key,
 * a missing key equals null in a test, negative indices count from the end, tests compare the spelling of scalars, and
 * the whole document can be replaced but not added. Returns a new value; the inputs stay unchanged.
 *
 * Throws a `PatchError` with code 413 for too many operations and 422 for an operation that doesn't apply.
 */
export function applyJsonPatch(document: unknown, operations: readonly RawJsonPatchOperation[]): unknown {
  if (operations.length > maxJsonPatchOperations)
    throw new PatchError(
      413,
      `The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${operations.length}`,
    );
  const state: State = { root: clone(document) as Container, copied: 0 };
  for (const operation of operations) applyOne(state, operation ?? {});
  return unspell(state.root);
}

interface State {
  root: Container;
  copied: number;
}

function applyOne(state: State, operation: JsonObject): void {
  const kind = plain(getOwn(operation, "op"));
  switch (kind) {
    case "add": {
      const { container, key } = find(state, text(operation, "path"));
      return add(container, key, clone(getOwn(operation, "value") ?? null));
    }
    case "remove": {
      const { container, key } = find(state, text(operation, "path"));
      return remove(container, key);
    }
    case "replace":
      return replace(state, operation);
    case "move": {
      const from = find(state, text(operation, "from"));
      const value = get(from.container, from.key) ?? null;
      remove(from.container, from.key);
      const to = find(state, text(operation, "path"));
      return add(to.container, to.key, value);
    }
    case "copy":
      return copy(state, operation);
    case "test":
      return test(state, operation);
    default:
      throw notApplicable(`unknown operation ${String(kind)}`);
  }
}

function replace(state: State, operation: JsonObject): void {
  const path = text(operation, "path");
  const value = clone(getOwn(operation, "value") ?? null);
  if (path === "") {
    if (!isContainer(value)) throw notApplicable("the whole object can only be replaced by an object or a list");
    state.root = value;
    return;
  }
  const { container, key } = find(state, path);
  if (Array.isArray(container)) container[index(key, container.length - 1)] = value;
  else setOwn(container, key, value);
}

function copy(state: State, operation: JsonObject): void {
  const from = find(state, text(operation, "from"));
  const value = get(from.container, from.key);
  const to = find(state, text(operation, "path"));
  if (value !== undefined && value !== null) state.copied += size(value);
  if (state.copied > maxJsonPatchCopyBytes)
    throw notApplicable(`copies add up to ${state.copied} bytes, more than ${maxJsonPatchCopyBytes}`);
  add(to.container, to.key, clone(value ?? null));
}

function test(state: State, operation: JsonObject): void {
  const path = text(operation, "path");
  const wanted = getOwn(operation, "value");
  let found: unknown = state.root;
  if (path !== "") {
    const { container, key } = find(state, path);
    found = get(container, key);
  }
  if (!same(found ?? null, wanted ?? null)) throw new FailedTestError(422, `the value at ${path} is another one`);
}

function text(operation: JsonObject, field: "path" | "from"): string {
  const value = plain(getOwn(operation, field));
  if (typeof value !== "string") throw notApplicable(`the operation has no ${field}`);
  return value;
}

/**
 * Returns the container that holds the last segment of a pointer. Anything before the pointer's first slash is ignored.
 */
function find(state: State, path: string): { container: Container; key: string } {
  const steps = path.split("/").slice(1).map(decodeStep);
  const key = steps.pop();
  if (key === undefined) throw notApplicable(`there is nothing at ${path}`);
  let container: unknown = state.root;
  for (const step of steps) {
    container = Array.isArray(container)
      ? container[index(step, container.length - 1)]
      : getOwn(container as JsonObject, step);
    if (!isContainer(container)) throw notApplicable(`there is nothing at ${path}`);
  }
  return { container: container as Container, key };
}

/** Creates a 422. The text stays inside the server; clients get a generic message. */
function notApplicable(why: string): PatchError {
  return new PatchError(422, why);
}

function get(container: Container, key: string): unknown {
  return Array.isArray(container) ? container[index(key, container.length - 1)] : getOwn(container, key);
}

function add(container: Container, key: string, value: unknown): void {
  if (!Array.isArray(container)) setOwn(container, key, value);
  else if (key === "-") container.push(value);
  else container.splice(index(key, container.length), 0, value);
}

function remove(container: Container, key: string): void {
  if (Array.isArray(container)) container.splice(index(key, container.length - 1), 1);
  else if (Object.hasOwn(container, key)) Reflect.deleteProperty(container, key);
  else throw notApplicable(`there is no key ${key}`);
}

/** Parses an index like Go's `strconv.Atoi`; a negative one counts from the end. */
function index(key: string, last: number): number {
  if (!/^[+-]?[0-9]+$/.test(key)) throw notApplicable(`${key} is no index`);
  const number = Number(key);
  const place = number < 0 ? number + last + 1 : number;
  if (place < 0 || place > last) throw notApplicable(`index ${key} is outside of the list`);
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
