import type { FieldError } from "../errors/field-error.js";
import { invalidField } from "../errors/field-error.js";
import { getOwn, isJsonObject, type JsonObject, sortKeys } from "../internal/json-value.js";
import type { Schema } from "./schema.js";
import { forEachPart, schemaSearch } from "./value-parts.js";

/** Validates lists whose elements, or their keys, must be unique. */
export function validateLists(value: unknown, schema: Schema): FieldError[] {
  const errors: FieldError[] = [];
  walk(value, schema, "", errors);
  return errors;
}

const hasUniqueLists = schemaSearch(({ "x-kubernetes-list-type": type }) => type === "set" || type === "map");

function walk(value: unknown, schema: Schema, path: string, errors: FieldError[]): void {
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    if (schema["x-kubernetes-list-type"] === "set")
      for (const at of repeated(list)) errors.push(duplicate(`${path}[${at}]`, list[at]));
    if (schema["x-kubernetes-list-type"] === "map") checkKeys(list, schema, path, errors);
  }
  forEachPart(value, schema, path, {
    wants: hasUniqueLists,
    visit: (part, its, place) => walk(part, its, place, errors),
  });
}

function duplicate(field: string, value: unknown): FieldError {
  return { type: "FieldValueDuplicate", field, value, detail: "" };
}

/** Returns the index of each duplicate element; further duplicates of the same element aren't reported. */
function repeated(list: readonly unknown[]): number[] {
  const scalars = new Map<unknown, number>();
  const containers = new Map<unknown, number>();
  const found: number[] = [];
  list.forEach((item, at) => {
    const plain = typeof item !== "object" || item === null;
    const seen = plain ? scalars : containers;
    const key = plain ? item : JSON.stringify(sortKeys(item));
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times === 2) found.push(at);
  });
  return found;
}

function checkKeys(list: readonly unknown[], schema: Schema, path: string, errors: FieldError[]): void {
  const odd = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (odd >= 0) {
    errors.push(invalidField(`${path}[${odd}]`, list[odd], "must be an object for an array of list-type map"));
    return;
  }
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const identity = (item: unknown): JsonObject =>
    isJsonObject(item)
      ? Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, getOwn(item, key)]))
      : {};
  const only = keys.length === 1 ? keys[0]! : undefined;
  // A scalar of the only key takes a fraction of the time of an object that contains it.
  const identities = list.map((item) => {
    const value = only !== undefined && isJsonObject(item) ? getOwn(item, only) : undefined;
    return value === undefined || typeof value === "object" ? identity(item) : value;
  });
  for (const at of repeated(identities)) errors.push(duplicate(`${path}[${at}]`, identity(list[at])));
}
