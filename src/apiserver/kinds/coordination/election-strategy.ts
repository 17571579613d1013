import type { FieldError } from "../../errors/field-error.js";
import { notSupported, qualifiedName } from "../shared/field-errors.js";

/** Strategy of coordinated leader election that the API itself defines. */
export const OLDEST_EMULATION_VERSION = "OldestEmulationVersion";

/** Returns the errors of a leader election strategy: one of the API's own, or a qualified name. */
export function strategyErrors(strategy: string): FieldError[] {
  // A real server repeats the field's name here.
  const field = "spec.strategy.strategy";
  if (strategy.includes("/")) return qualifiedName(field, strategy);
  return strategy === OLDEST_EMULATION_VERSION ? [] : [notSupported(field, strategy, [OLDEST_EMULATION_VERSION])];
}
