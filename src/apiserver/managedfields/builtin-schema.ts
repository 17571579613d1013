import { definition } from "../../gen/openapi/definitions.js";
import type { Schema } from "../schema/schema.js";

/** Returns the definition of this name. Throws a `TypeError` for an unknown one. */
export function builtinSchema(name: string): Schema {
  const found = definition(name);
  if (found === undefined) throw new TypeError(`no definition ${name}`);
  return found;
}
