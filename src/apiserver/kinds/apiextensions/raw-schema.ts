import type { Schema } from "../../schema/schema.js";

/** A schema as clients can write it, including members that aren't allowed. */
export interface RawSchema extends Omit<Schema, "items" | "type"> {
  type?: string;
  items?: RawSchema | RawSchema[];
  id?: string;
  $schema?: string;
  patternProperties?: Record<string, RawSchema>;
  dependencies?: Record<string, RawSchema | string[]>;
  additionalItems?: RawSchema | boolean;
  definitions?: Record<string, RawSchema>;
}
