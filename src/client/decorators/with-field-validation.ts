import type { FieldValidation } from "../../meta/options.js";
import type { Client } from "../client.js";

/** A client whose writes are checked for unknown and duplicate fields unless a call says otherwise. */
export function withFieldValidation<FieldManager extends string | undefined>(
  client: Client<FieldManager>,
  fieldValidation: FieldValidation,
): Client<FieldManager> {
  return client.derive({ fieldValidation });
}
