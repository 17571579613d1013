import { pushAll } from "../../../internal/push-all.js";
import type { Device } from "../../../kinds/resource/v1.js";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityToNumber,
} from "../../../meta/quantity.js";
import type { FieldError } from "../../errors/field-error.js";
import { forbidden, invalid, required } from "../shared/field-errors.js";
import { isSet } from "../shared/kind-printer.js";
import { setErrors } from "./device-errors.js";

type Policy = NonNullable<NonNullable<Device["capacity"]>[string]["requestPolicy"]>;

const mostOptions = 10;

/** Validates the policy for requests of a device's capacity. */
export function capacityPolicyErrors(capacity: string, policy: Policy, at: string): FieldError[] {
  const { validValues = [], validRange } = policy;
  // Go prints a missing value as null.
  const preset = policy.default as string | null | undefined;
  if (validValues.length > 0 && validRange !== undefined)
    return [
      forbidden(
        at,
        'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
      ),
    ];
  if (validValues.length > 0)
    return !isSet(preset)
      ? [required(`${at}.default`, "required when validValues is defined")]
      : valuesErrors(preset, capacity, validValues, `${at}.validValues`);
  if (validRange === undefined) return [];
  return !isSet(preset)
    ? [required(`${at}.default`, "required when validRange is defined")]
    : rangeErrors(preset, capacity, validRange, `${at}.validRange`);
}

function valuesErrors(preset: string, capacity: string, values: readonly string[], at: string): FieldError[] {
  const errors: FieldError[] = [];
  values.slice(1).forEach((value, index) => {
    if (compareQuantities(values[index]!, value) > 0)
      errors.push(invalid(`${at}[${String(index + 1)}]`, value, "values must be sorted in ascending order"));
  });
  pushAll(
    errors,
    setErrors(
      values,
      { most: mostOptions, keyOf: (value) => String(Math.ceil(quantityToNumber(value))) },
      at,
      (value, place) =>
        compareQuantities(value, capacity) > 0
          ? [invalid(place, value, `option is larger than capacity value: ${capacity}`)]
          : [],
    ),
  );
  if (!values.some((value) => compareQuantities(value, preset) === 0))
    errors.push(invalid(at, preset, "default value is not valid according to the requestPolicy"));
  return errors;
}

function rangeErrors(
  preset: string,
  capacity: string,
  { min, max, step }: NonNullable<Policy["validRange"]>,
  at: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const larger = (a: string, b: string): boolean => compareQuantities(a, b) > 0;
  if ((min as string | undefined) === undefined) return [required(`${at}.min`, "required when validRange is defined")];
  if (larger(min, capacity)) errors.push(invalid(`${at}.min`, min, `min is larger than capacity value: ${capacity}`));
  if (larger(min, preset)) errors.push(invalid(`${at}.min`, preset, `default is less than min: ${min}`));
  if (max !== undefined) {
    if (larger(min, max)) errors.push(invalid(`${at}.max`, min, `min is larger than max: ${max}`));
    if (larger(max, capacity)) errors.push(invalid(`${at}.max`, max, `max is larger than capacity value: ${capacity}`));
    if (larger(preset, max)) errors.push(invalid(`${at}.max`, preset, `default is more than max: ${max}`));
  }
  if (step === undefined) return errors;
  const next = formatQuantity(addQuantities(parseQuantity(min), parseQuantity(step)));
  if (larger(next, capacity))
    errors.push(invalid(`${at}.step`, step, `one step ${next} is larger than capacity value: ${capacity}`));
  for (const value of [preset, ...(max === undefined ? [] : [max])]) {
    if ((quantityToNumber(value) - quantityToNumber(min)) % quantityToNumber(step) !== 0)
      errors.push(invalid(`${at}.step`, value, `value is not a multiple of a given step (${step}) from (${min})`));
  }
  return errors;
}
