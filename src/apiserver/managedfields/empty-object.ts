import type { JsonObject } from "../internal/json-value.js";
import { isJsonObject } from "../internal/json-value.js";
import type { Schema, SchemaResolver } from "../schema/schema.js";

/**
 * What a built-in kind shows when nothing in it is set: structs that are always there, and members that are written even when they are zero. The
 * schemas tell by a default of `{}` or of a zero value, and by lists that are required.
 */
export function emptyValue(schema: Schema, resolve: SchemaResolver): JsonObject {
  const struct = dereference(schema, resolve);
  const required = new Set(struct.required ?? []);
  const result: JsonObject = {};
  for (const [name, member] of Object.entries(struct.properties ?? {})) {
    if (isJsonObject(member.default) && Object.keys(member.default).length === 0) {
      const target = dereference(member, resolve);
      if (target.type === "object" && target.properties !== undefined) result[name] = emptyValue(target, resolve);
    } else if (member.default === "" || member.default === 0 || member.default === false) {
      result[name] = member.default;
    } else if (
      member.default === undefined &&
      required.has(name) &&
      (member.type === "array" || member.type === "object")
    ) {
      result[name] = null;
    }
  }
  return result;
}

function dereference(schema: Schema, resolve: SchemaResolver): Schema {
  const name = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return name === undefined ? schema : resolve(name);
}
