import type { Schema } from "../../schema/schema.js";

/** A schema as clients can write it, including members that aren't allowed. */
export interface RawSchema extends Omit<Schema, "items" | "type"> {
  type?: string | undefined;
  items?: RawSchema | RawSchema[] | undefined;
  id?: string | undefined;
  $schema?: string | undefined;
  patternProperties?: Record<string, RawSchema> | undefined;
  dependencies?: Record<string, RawSchema | string[]> | undefined;
  additionalItems?: RawSchema | boolean | undefined;
  definitions?: Record<string, RawSchema> | undefined;
}
