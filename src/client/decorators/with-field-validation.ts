import type { FieldValidation } from "../../meta/options.js";
import type { Client, Decorated } from "../client.js";

/** A client whose writes are checked for unknown and duplicate fields unless a call says otherwise. */
export function withFieldValidation<C extends Client>(client: C, fieldValidation: FieldValidation): Decorated<C> {
  return client.derive({ fieldValidation }) as Decorated<C>;
}
