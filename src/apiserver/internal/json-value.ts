import { setOwn } from "../../internal/set-own.js";
/** Any JSON value. Objects are plain; keys such as `__proto__` are data. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = Record<string, unknown>;

/** True for an object, but not for null or an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the JSON type of a value, for messages. */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (value === null) return "null";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** Returns the own value at `key`, never that of the prototype. */
export function getOwn(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Copies JSON data deeply. */
export function cloneJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => cloneJson<unknown>(item)) as T;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson((value as JsonObject)[key]));
  return copy as T;
}

/** Copies a value deeply, as it would come out of its JSON text: without `undefined`, with `toJSON` applied. */
export function copyAsJson(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => (isJson(item) ? copyAsJson(item) : null));
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return copyAsJson(toJSON.call(value));
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = (value as JsonObject)[key];
    if (isJson(member)) setOwn(copy, key, copyAsJson(member));
  }
  return copy;
}

/** False for what JSON leaves out. */
function isJson(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

/** True if two JSON values are equal, regardless of the order of keys; `undefined` equals missing. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i += 1) if (!equalJson(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a as JsonObject;
  const right = b as JsonObject;
  let count = 0;
  for (const key of Object.keys(left)) {
    if (left[key] === undefined) continue;
    count += 1;
    if (!Object.hasOwn(right, key) || !equalJson(left[key], right[key])) return false;
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined) count -= 1;
  return count === 0;
}

/** Sorts the keys of all objects in a value. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  return isJsonObject(value) ? sortOwnKeys(value, sortKeys) : value;
}

/** Sorts the keys of an object and maps each value with `member`. */
export function sortOwnKeys(object: JsonObject, member: (value: unknown, key: string) => unknown): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(object).sort()) setOwn(result, key, member(object[key], key));
  return result;
}

/** Formats the path of a field, such as `spec.containers[0].name`. */
export function formatJsonPath(path: readonly (string | number)[]): string {
  let text = "";
  for (const step of path) text += typeof step === "number" ? `[${step}]` : text === "" ? step : `.${step}`;
  return text;
}
