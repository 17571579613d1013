import { setOwn } from "../../internal/set-own.js";
import { cloneJson, isJsonObject } from "../internal/json-value.js";
import { memberSchema } from "./member-schema.js";
import type { Schema } from "./schema.js";

function isPlainNull(value: unknown, schema: Schema | undefined): boolean {
  return value === null && schema !== undefined && schema.nullable !== true;
}

/** Applies a schema's defaults in place: for missing members, and for null if that isn't allowed. */
export function applySchemaDefaults(value: unknown, schema: Schema | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    value.forEach((item, at) => {
      if (isPlainNull(item, schema.items)) value[at] = cloneJson(schema.items?.default ?? null);
      applySchemaDefaults(value[at], schema.items);
    });
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined) continue;
    if (!Object.hasOwn(value, key) || isPlainNull(value[key], property))
      setOwn(value, key, cloneJson(property.default));
  }
  for (const key of Object.keys(value)) {
    const property = memberSchema(schema, key);
    if (property === undefined || property === true) continue;
    if (isPlainNull(value[key], property) && property === schema.additionalProperties)
      setOwn(value, key, cloneJson(property.default ?? null));
    applySchemaDefaults(value[key], property);
  }
}

/** Removes nulls in place if the schema isn't nullable and has no default. */
export function dropPlainNulls(value: unknown, schema: Schema | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value) dropPlainNulls(item, schema?.items);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const key of Object.keys(value)) {
    const found = memberSchema(schema, key);
    const property = found === true ? undefined : found;
    if (isPlainNull(value[key], property) && property?.default === undefined) Reflect.deleteProperty(value, key);
    else dropPlainNulls(value[key], property);
  }
}

/** True if the schema or a part of it has a default. */
export function hasDefaults(schema: Schema | undefined): boolean {
  if (schema === undefined) return false;
  if (schema.default !== undefined) return true;
  if (
    hasDefaults(schema.items) ||
    (typeof schema.additionalProperties === "object" && hasDefaults(schema.additionalProperties))
  )
    return true;
  return Object.values(schema.properties ?? {}).some(hasDefaults);
}
