import { pushAll } from "../../../internal/push-all.js";
import type { Condition } from "../../../meta/condition.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "./checks.js";
import { duplicate, forbidden, invalid, required, tooLong } from "./field-errors.js";

export function selectorErrors(selector: LabelSelector | null | undefined, at: string): FieldError[] {
  const errors = check.labels(`${at}.matchLabels`, selector?.matchLabels);
  const requirements = check.eachItem(selector?.matchExpressions, `${at}.matchExpressions`, (requirement, path) => [
    ...setOperatorErrors(requirement, path),
    ...check.qualifiedName(`${path}.key`, requirement.key),
    ...check.eachItem(requirement.values, `${path}.values`, (value, place) => check.labelValue(place, value)),
  ]);
  return [...errors, ...requirements];
}

/** Validates the operator of a requirement, and whether it has values. */
export function setOperatorErrors(
  { operator, values }: { readonly operator: string; readonly values?: readonly string[] | null | undefined },
  at: string,
): FieldError[] {
  const given = (values ?? []).length > 0;
  if (operator === "In" || operator === "NotIn")
    return given ? [] : [required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
  if (operator === "Exists" || operator === "DoesNotExist")
    return given
      ? [forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
      : [];
  return [invalid(`${at}.operator`, operator, "not a valid selector operator")];
}

const conditionStatuses = ["False", "True", "Unknown"];
const mostReason = 1024;
const mostMessage = 32 * 1024;

/** Validates conditions of the type `metav1.Condition`. */
export function conditionsErrors(conditions: readonly Condition[], at: string): FieldError[] {
  const repeated = check.repeats(conditions.map(({ type }) => type));
  return check.eachItem(conditions, at, (condition, path, index) => {
    const { type, status, observedGeneration, lastTransitionTime, reason, message } = condition;
    const errors = repeated.has(index) ? [duplicate(`${path}.type`, type)] : [];
    pushAll(
      errors,
      check.qualifiedName(`${path}.type`, type),
      check.oneOf(`${path}.status`, status, conditionStatuses),
    );
    pushAll(errors, check.nonNegative(`${path}.observedGeneration`, observedGeneration));
    if (((lastTransitionTime as string | null | undefined) ?? null) === null)
      errors.push(required(`${path}.lastTransitionTime`));
    if (reason === "") errors.push(required(`${path}.reason`));
    else if (!/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason))
      errors.push(invalid(`${path}.reason`, reason, "must be a condition reason like 'MyReason'"));
    if (reason.length > mostReason) errors.push(tooLong(`${path}.reason`, mostReason));
    return message.length > mostMessage ? [...errors, tooLong(`${path}.message`, mostMessage)] : errors;
  });
}
