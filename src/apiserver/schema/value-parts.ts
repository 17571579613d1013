import { isJsonObject } from "../internal/json-value.js";
import { memberSchema } from "./member-schema.js";
import type { Schema } from "./schema.js";

/** Returns the path of a member: declared fields follow a dot, map keys are in brackets. */
export function memberPath(schema: Schema, path: string, key: string): string {
  if (schema.properties === undefined || !Object.hasOwn(schema.properties, key)) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

/** Calls `visit` for each element or member that the schema describes. */
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
