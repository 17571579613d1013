import { isJsonObject } from "../internal/json-value.js";
import { memberSchema } from "./member-schema.js";
import type { Schema } from "./schema.js";

/** The path of a member: fields that the schema names follow a dot, keys of maps stand in brackets. */
export function memberPath(schema: Schema, path: string, key: string): string {
  if (schema.properties === undefined || !Object.hasOwn(schema.properties, key)) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

/** Calls `visit` for each element or member of a value that its schema says something of. */
export function forEachPart(
  value: unknown,
  schema: Schema,
  path: string,
  visit: (value: unknown, schema: Schema, path: string) => void,
): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined) value.forEach((item, at) => visit(item, items, `${path}[${String(at)}]`));
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      const member = memberSchema(schema, key);
      if (member !== undefined && member !== true) visit(value[key], member, memberPath(schema, path, key));
    }
  }
}
