import { isJsonObject } from "../internal/json-value.js";
import { memberSchema } from "./member-schema.js";
import type { Schema } from "./schema.js";

/** Returns the path of a member: declared fields follow a dot, map keys are in brackets. */
export function memberPath(schema: Schema, path: string, key: string): string {
  if (schema.properties === undefined || !Object.hasOwn(schema.properties, key)) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

/** Visitor of the parts of a value. */
export interface PartVisitor {
  /** True if the parts of a schema are to be visited. Called once for the elements of a list. */
  wants(schema: Schema): boolean;
  /** Called for each of these parts. */
  visit(value: unknown, schema: Schema, path: string): void;
}

/** Calls the visitor for each element or member that the schema describes. */
export function forEachPart(value: unknown, schema: Schema, path: string, visitor: PartVisitor): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined && visitor.wants(items))
      value.forEach((item, at) => visitor.visit(item, items, `${path}[${String(at)}]`));
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      const member = memberSchema(schema, key);
      if (member !== undefined && member !== true && visitor.wants(member))
        visitor.visit(value[key], member, memberPath(schema, path, key));
    }
  }
}

/**
 * Creates a function that returns true if a schema, or the schema of a part of its values, passes a test. Remembers its
 * answers.
 */
export function schemaSearch(test: (schema: Schema) => boolean): (schema: Schema) => boolean {
  const known = new WeakMap<Schema, boolean>();
  const search = (schema: Schema): boolean => {
    let found = known.get(schema);
    if (found === undefined) {
      const { items, additionalProperties, properties = {} } = schema;
      found =
        test(schema) ||
        (items !== undefined && search(items)) ||
        (typeof additionalProperties === "object" && search(additionalProperties)) ||
        Object.values(properties).some(search);
      known.set(schema, found);
    }
    return found;
  };
  return search;
}
