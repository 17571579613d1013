import type { Schema } from "./schema.js";

/** Schema of a member; `true` where anything goes; undefined where the schema has none. */
export function memberSchema(schema: Schema | undefined, key: string): Schema | true | undefined {
  if (schema?.properties !== undefined && Object.hasOwn(schema.properties, key)) return schema.properties[key];
  // Members that must not be there are kept, for validation to tell.
  const additional = schema?.additionalProperties;
  return additional === false ? true : additional;
}
