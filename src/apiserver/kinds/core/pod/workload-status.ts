import type { FieldError } from "../../../errors/field-error.js";
import * as check from "../../shared/checks.js";
import { invalid } from "../../shared/field-errors.js";

type Counts = Readonly<Record<string, number | undefined>>;

/** Rules for the counts in a workload's status. */
interface CountRules {
  /** Counts that must not be negative. */
  readonly counts: readonly string[];
  /** Counts that can't exceed `replicas`. */
  readonly partsOfReplicas?: readonly string[] | undefined;
  /** True if `availableReplicas` can't exceed `readyReplicas`. Default: false. */
  readonly readyBeforeAvailable?: true | undefined;
  /** True if `collisionCount` can't decrease. Default: false. */
  readonly countsCollisions?: true | undefined;
}

/** Creates the validation of a workload's status. */
export function statusCounts(
  rules: CountRules,
): (object: { status?: object | undefined }, old: { status?: object | undefined }) => FieldError[] {
  return (object, old) => {
    const status = (object.status ?? {}) as Counts;
    const known = ((old.status ?? {}) as Counts)["collisionCount"];
    const errors = check.nonNegativeFields(status, "status", rules.counts);
    for (const key of rules.partsOfReplicas ?? [])
      if ((status[key] ?? 0) > (status["replicas"] ?? 0))
        errors.push(invalid(`status.${key}`, status[key] ?? 0, "cannot be greater than status.replicas"));
    const available = status["availableReplicas"] ?? 0;
    if (rules.readyBeforeAvailable === true && available > (status["readyReplicas"] ?? 0))
      errors.push(invalid("status.availableReplicas", available, "cannot be greater than status.readyReplicas"));
    if (rules.countsCollisions === true && known !== undefined && (status["collisionCount"] ?? -1) < known)
      errors.push(invalid("status.collisionCount", status["collisionCount"] ?? 0, "cannot be decremented"));
    return errors;
  };
}
