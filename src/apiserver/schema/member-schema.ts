import type { Schema } from "./schema.js";

/** Returns the schema of a member; `true` if anything is allowed, `undefined` if the schema doesn't declare it. */
export function memberSchema(schema: Schema | undefined, key: string): Schema | true | undefined {
  if (schema?.properties !== undefined && Object.hasOwn(schema.properties, key)) return schema.properties[key];
  // Forbidden members are kept, so that validation reports them.
  const additional = schema?.additionalProperties;
  return additional === false ? true : additional;
}
