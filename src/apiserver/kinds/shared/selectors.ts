import type { Condition } from "../../../meta/condition.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { FieldError } from "../../errors/field-error.js";
import { labelValueErrors } from "../../objects/selectors.js";
import * as check from "./checks.js";
import { duplicate, forbidden, invalid, notSupported, required, tooLong } from "./field-errors.js";

export function selectorErrors(selector: LabelSelector | null | undefined, at: string): FieldError[] {
  const errors = check.labels(`${at}.matchLabels`, selector?.matchLabels);
  (selector?.matchExpressions ?? []).forEach((requirement, index) => {
    const path = `${at}.matchExpressions[${String(index)}]`;
    const values = requirement.values ?? [];
    if (requirement.operator === "In" || requirement.operator === "NotIn") {
      if (values.length === 0)
        errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (requirement.operator === "Exists" || requirement.operator === "DoesNotExist") {
      if (values.length > 0)
        errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    } else errors.push(invalid(`${path}.operator`, requirement.operator, "not a valid selector operator"));
    errors.push(...check.qualifiedName(`${path}.key`, requirement.key));
    values.forEach((value, valueIndex) =>
      errors.push(
        ...labelValueErrors(value).map((detail) => invalid(`${path}.values[${String(valueIndex)}]`, value, detail)),
      ),
    );
  });
  return errors;
}

/** Returns an error for a changed immutable selector. */
export function selectorImmutable(
  field: string,
  selector: LabelSelector | null | undefined,
  old: LabelSelector | null | undefined,
): FieldError[] {
  return check.immutable(field, selector, old);
}

/** True if a selector matches labels. An empty selector matches everything, a missing one nothing. */
export function selectorMatches(
  selector: LabelSelector | null | undefined,
  given: Readonly<Record<string, string>> | undefined,
): boolean {
  if (selector === undefined || selector === null) return false;
  const has = (key: string): boolean => given !== undefined && Object.hasOwn(given, key);
  const byLabel = Object.entries(selector.matchLabels ?? {}).every(
    ([key, value]) => has(key) && given?.[key] === value,
  );
  return (
    byLabel &&
    (selector.matchExpressions ?? []).every(({ key, operator, values }) => {
      const among = has(key) && (values ?? []).includes(given?.[key] ?? "");
      if (operator === "In") return among;
      if (operator === "NotIn") return !among;
      return operator === "Exists" ? has(key) : !has(key);
    })
  );
}

const STATUSES = ["False", "True", "Unknown"];
const MOST_REASON = 1024;
const MOST_MESSAGE = 32 * 1024;

/** Validates conditions of the type `metav1.Condition`. */
export function conditionsErrors(conditions: readonly Condition[], at: string): FieldError[] {
  return conditions.flatMap(({ type, status, observedGeneration, lastTransitionTime, reason, message }, index) => {
    const path = `${at}[${String(index)}]`;
    const errors = conditions.findIndex((each) => each.type === type) < index ? [duplicate(`${path}.type`, type)] : [];
    errors.push(...check.qualifiedName(`${path}.type`, type));
    if (!STATUSES.includes(status)) errors.push(notSupported(`${path}.status`, status, STATUSES));
    if ((observedGeneration ?? 0) < 0)
      errors.push(invalid(`${path}.observedGeneration`, observedGeneration, "must be greater than or equal to zero"));
    if (((lastTransitionTime as string | null | undefined) ?? null) === null)
      errors.push(required(`${path}.lastTransitionTime`));
    if (reason === "") errors.push(required(`${path}.reason`));
    else if (!/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason))
      errors.push(invalid(`${path}.reason`, reason, "must be a condition reason like 'MyReason'"));
    if (reason.length > MOST_REASON) errors.push(tooLong(`${path}.reason`, MOST_REASON));
    return message.length > MOST_MESSAGE ? [...errors, tooLong(`${path}.message`, MOST_MESSAGE)] : errors;
  });
}
