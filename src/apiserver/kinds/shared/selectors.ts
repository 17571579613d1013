import type { Condition } from "../../../meta/condition.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { FieldError } from "../../errors/field-error.js";
import { labelValueErrors } from "../../objects/selectors.js";
import {
  duplicate,
  forbidden,
  invalid,
  invalidNamed,
  labels,
  notSupported,
  qualifiedName,
  required,
  sameValue,
  sortedKeys,
  tooLong,
} from "./field-errors.js";

/** Errors of a label selector. */
export function selectorErrors(selector: LabelSelector | null | undefined, at: string): FieldError[] {
  const errors = labels(`${at}.matchLabels`, selector?.matchLabels);
  (selector?.matchExpressions ?? []).forEach((requirement, index) => {
    const path = `${at}.matchExpressions[${String(index)}]`;
    const values = requirement.values ?? [];
    if (requirement.operator === "In" || requirement.operator === "NotIn") {
      if (values.length === 0)
        errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (requirement.operator === "Exists" || requirement.operator === "DoesNotExist") {
      if (values.length > 0)
        errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    } else errors.push(invalidNamed(`${path}.operator`, requirement.operator, "not a valid selector operator"));
    errors.push(...qualifiedName(`${path}.key`, requirement.key));
    values.forEach((value, valueIndex) =>
      errors.push(
        ...labelValueErrors(value).map((detail) => invalid(`${path}.values[${String(valueIndex)}]`, value, detail)),
      ),
    );
  });
  return errors;
}

/** A selector as Go prints it. */
export function shownSelector(selector: LabelSelector | null | undefined): object | null {
  const { matchLabels, matchExpressions } = selector ?? {};
  return selector === undefined || selector === null
    ? null
    : {
        ...(matchLabels === undefined ? {} : { matchLabels: sortedKeys(matchLabels) }),
        ...(matchExpressions === undefined ? {} : { matchExpressions }),
      };
}

/** An error where a selector that may not change has changed. */
export function selectorImmutable(
  field: string,
  selector: LabelSelector | null | undefined,
  old: LabelSelector | null | undefined,
): FieldError[] {
  return sameValue(selector, old) ? [] : [invalid(field, shownSelector(selector), "field is immutable")];
}

/** Whether labels meet a selector; an empty one is met by all, an absent one by none. */
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

const REASON =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";
const STATUSES = ["False", "True", "Unknown"];
const MOST_REASON = 1024;
const MOST_MESSAGE = 32 * 1024;

/** Errors of conditions of the common form. */
export function conditionsErrors(conditions: readonly Condition[], at: string): FieldError[] {
  return conditions.flatMap(({ type, status, observedGeneration, lastTransitionTime, reason, message }, index) => {
    const path = `${at}[${String(index)}]`;
    const errors = conditions.findIndex((each) => each.type === type) < index ? [duplicate(`${path}.type`, type)] : [];
    errors.push(...qualifiedName(`${path}.type`, type));
    if (!STATUSES.includes(status)) errors.push(notSupported(`${path}.status`, status, STATUSES));
    if ((observedGeneration ?? 0) < 0)
      errors.push(invalid(`${path}.observedGeneration`, observedGeneration, "must be greater than or equal to zero"));
    if (((lastTransitionTime as string | null | undefined) ?? null) === null)
      errors.push(required(`${path}.lastTransitionTime`));
    if (reason === "") errors.push(required(`${path}.reason`));
    else if (!/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason))
      errors.push(invalid(`${path}.reason`, reason, REASON));
    if (reason.length > MOST_REASON) errors.push(tooLong(`${path}.reason`, MOST_REASON));
    return message.length > MOST_MESSAGE ? [...errors, tooLong(`${path}.message`, MOST_MESSAGE)] : errors;
  });
}
