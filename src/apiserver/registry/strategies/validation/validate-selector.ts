import type { LabelSelector } from "../../../../meta/label-selector.js";
import { labelValueErrors } from "../../../selectors.js";
import type { FieldError } from "../../../schema/field-error.js";
import { forbidden, invalid, labels, qualifiedName, required } from "./field-errors.js";

/** Errors of a label selector. */
export function selectorErrors(selector: LabelSelector | null | undefined, at: string): FieldError[] {
  const errors = labels(`${at}.matchLabels`, selector?.matchLabels);
  (selector?.matchExpressions ?? []).forEach((requirement, index) => {
    const path = `${at}.matchExpressions[${String(index)}]`;
    const values = requirement.values ?? [];
    if (requirement.operator === "In" || requirement.operator === "NotIn") {
      if (values.length === 0) errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (requirement.operator === "Exists" || requirement.operator === "DoesNotExist") {
      if (values.length > 0) errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    } else errors.push(invalid(`${path}.operator`, requirement.operator, "not a valid selector operator"));
    errors.push(...qualifiedName(`${path}.key`, requirement.key));
    values.forEach((value, valueIndex) => errors.push(...labelValueErrors(value).map((detail) => invalid(`${path}.values[${String(valueIndex)}]`, value, detail))));
  });
  return errors;
}

/** Whether labels meet a selector; an empty one is met by all, an absent one by none. */
export function selectorMatches(selector: LabelSelector | null | undefined, given: Readonly<Record<string, string>> | undefined): boolean {
  if (selector === undefined || selector === null) return false;
  const has = (key: string): boolean => given !== undefined && Object.hasOwn(given, key);
  const byLabel = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => has(key) && given?.[key] === value);
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
