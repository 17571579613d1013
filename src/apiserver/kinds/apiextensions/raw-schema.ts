import type { Schema } from "../../schema/schema.js";

/** A schema as definitions can contain it, with members that are not allowed too. */
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
