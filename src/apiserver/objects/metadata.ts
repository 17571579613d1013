import { setOwn } from "../../internal/set-own.js";
import type { ObjectMeta } from "../../meta/object.js";
import type { ApiObject } from "./api-object.js";
import { givenEmptyFields, recordGivenEmpty } from "./given-empty.js";

/** Fields of the metadata in the order of the struct. */
export const metaOrder = [
  "name",
  "generateName",
  "namespace",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers",
  "managedFields",
] as const;
const sortedMeta = [...metaOrder].sort();

/** Returns the object's metadata; creates it if necessary. */
export function metaOf(object: ApiObject): ObjectMeta {
  return (object.metadata ??= {});
}

let lastSecond = NaN;
let lastTime = "";

/** Formats a time as the API does, in whole seconds. Remembers the last one: a server formats the current time often. */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond) {
    lastTime = new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
    lastSecond = second;
  }
  return lastTime;
}

/** Returns the metadata with only the known fields, in the struct's order; for custom resources sorted by name. */
export function orderedMetadata(meta: ObjectMeta, custom: boolean): ObjectMeta {
  const known = meta as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  for (const key of custom ? sortedMeta : metaOrder)
    if (known[key] !== undefined && known[key] !== null) result[key] = known[key];
  return result;
}

/**
 * Returns the stored form of an object: JSON without `kind` and `apiVersion`, ordered metadata first, with this
 * revision.
 */
export function storedJson(object: ApiObject, revision: number | string, custom: boolean): string {
  const metadata = orderedMetadata({ ...object.metadata, resourceVersion: String(revision) }, custom);
  const parts: string[] = [`"metadata":${JSON.stringify(metadata)}`];
  for (const key of Object.keys(object)) {
    if (key === "kind" || key === "apiVersion" || key === "metadata") continue;
    const json = JSON.stringify(object[key]) as string | undefined;
    if (json !== undefined) parts.push(`${JSON.stringify(key)}:${json}`);
  }
  return `{${parts.join(",")}}`;
}

/** Copies JSON data deeply. Keys such as `__proto__` stay data. */
export function copyJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => copyJson(item)) as T;
  const copy: Record<string, unknown> = {};
  recordGivenEmpty(copy, givenEmptyFields(value));
  for (const key of Object.keys(value)) {
    setOwn(copy, key, copyJson((value as Record<string, unknown>)[key]));
  }
  return copy as T;
}

/** Replaces the content of an object, which keeps its identity. */
export function replaceContent(object: object, next: object): void {
  if (object === next) return;
  // V8 makes an object slow for good when a key is deleted that wasn't the last one.
  if (!keepsOrder(object, next)) for (const key of Object.keys(object).reverse()) Reflect.deleteProperty(object, key);
  Object.assign(object, next);
}

/** Returns true if assigning `next` leaves the members of an object in the order of `next`. */
function keepsOrder(object: object, next: object): boolean {
  const [keys, wanted] = [contentKeys(object), contentKeys(next)];
  return keys.every((key, at) => key === wanted[at]) && Object.keys(object).every((key) => Object.hasOwn(next, key));
}

/** Returns the keys whose order is stored: all but those of the type. */
function contentKeys(object: object): string[] {
  return Object.keys(object).filter((key) => key !== "kind" && key !== "apiVersion");
}
