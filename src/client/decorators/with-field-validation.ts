import type { FieldValidation } from "../../meta/options.js";
import type { Client } from "../client.js";

/**
 * Returns a client whose writes use this server-side field validation by default: `Strict` rejects unknown and
 * duplicate fields, `Warn` warns about them, `Ignore` drops them. A call can override it.
 */
export function withFieldValidation<FieldManager extends string | undefined>(
  client: Client<FieldManager>,
  fieldValidation: FieldValidation,
): Client<FieldManager> {
  return client.derive({ fieldValidation });
}
