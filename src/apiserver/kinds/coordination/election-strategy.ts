import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { notSupported } from "../shared/field-errors.js";

/** Built-in strategy of coordinated leader election. */
export const oldestEmulationVersion = "OldestEmulationVersion";

/** Validates a leader election strategy: a built-in one or a qualified name. */
export function strategyErrors(strategy: string): FieldError[] {
  // kube-apiserver repeats the field's name here.
  const field = "spec.strategy.strategy";
  if (strategy.includes("/")) return check.qualifiedName(field, strategy);
  return strategy === oldestEmulationVersion ? [] : [notSupported(field, strategy, [oldestEmulationVersion])];
}
