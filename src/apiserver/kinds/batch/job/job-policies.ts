import { pushAll } from "../../../../internal/push-all.js";
import type * as batch from "../../../../kinds/batch/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import * as check from "../../shared/checks.js";
import { duplicate, invalid, required, tooLong, tooMany } from "../../shared/field-errors.js";

const failureActions = ["Count", "FailIndex", "FailJob", "Ignore"];
const conditionStatuses = ["False", "True", "Unknown"];
const mostRules = 20;
const mostCodes = 255;
const mostIndexes = 64 * 1024;

export function failurePolicyErrors(spec: batch.JobSpec, at: string): FieldError[] {
  const rules = (spec.podFailurePolicy?.rules as readonly batch.PodFailurePolicyRule[] | null | undefined) ?? [];
  const { containers, initContainers } = spec.template.spec ?? { containers: [] };
  const names = new Set(
    [...((containers as typeof containers | null) ?? []), ...(initContainers ?? [])].map(({ name }) => name),
  );
  const each = check.eachItem(rules, `${at}.rules`, ({ action, onExitCodes, onPodConditions = [] }, path) => {
    const errors: FieldError[] = [];
    if (action === "FailIndex") {
      if (spec.backoffLimitPerIndex === undefined)
        errors.push(invalid(`${path}.action`, action, "requires the backoffLimitPerIndex to be set"));
    } else pushAll(errors, check.requiredOneOf(`${path}.action`, action, failureActions));
    if (onExitCodes !== undefined) pushAll(errors, exitCodeErrors(onExitCodes, `${path}.onExitCodes`, names));
    pushAll(errors, conditionErrors(onPodConditions, `${path}.onPodConditions`));
    if (onExitCodes !== undefined && onPodConditions.length > 0)
      errors.push(invalid(path, undefined, "specifying both OnExitCodes and OnPodConditions is not supported"));
    if (onExitCodes === undefined && onPodConditions.length === 0)
      errors.push(invalid(path, undefined, "specifying one of OnExitCodes and OnPodConditions is required"));
    return errors;
  });
  return rules.length > mostRules ? [tooMany(`${at}.rules`, rules.length, mostRules), ...each] : each;
}

function conditionErrors(patterns: readonly batch.PodFailurePolicyOnPodConditionsPattern[], at: string): FieldError[] {
  return [
    ...(patterns.length > mostRules ? [tooMany(at, patterns.length, mostRules)] : []),
    ...check.eachItem(patterns, at, ({ type, status }, path) => [
      ...check.qualifiedName(`${path}.type`, type),
      ...check.requiredOneOf(`${path}.status`, status, conditionStatuses),
    ]),
  ];
}

function exitCodeErrors(
  { operator, containerName, values: given }: batch.PodFailurePolicyOnExitCodesRequirement,
  at: string,
  names: ReadonlySet<string>,
): FieldError[] {
  const errors = check.requiredOneOf(`${at}.operator`, operator, ["In", "NotIn"]);
  const values = (given as readonly number[] | null) ?? [];
  if (containerName !== undefined && !names.has(containerName))
    errors.push(invalid(`${at}.containerName`, containerName, "must be the name of a container in the pod template"));
  if (values.length === 0) errors.push(invalid(`${at}.values`, given, "at least one value is required"));
  else if (values.length > mostCodes) errors.push(tooMany(`${at}.values`, values.length, mostCodes));
  const repeated = check.repeats(values);
  pushAll(
    errors,
    check.eachItem(values, `${at}.values`, (value, field, index) => [
      ...(operator === "In" && value === 0 ? [invalid(field, value, "must not be 0 for the In operator")] : []),
      ...(repeated.has(index) ? [duplicate(field, value)] : []),
    ]),
  );
  return values.every((value, index) => index === 0 || values[index - 1]! <= value)
    ? errors
    : [...errors, invalid(`${at}.values`, given, "must be ordered")];
}

export function successPolicyErrors(spec: batch.JobSpec, at: string): FieldError[] {
  const rules = (spec.successPolicy?.rules as readonly batch.SuccessPolicyRule[] | null | undefined) ?? [];
  const errors: FieldError[] = [];
  if (rules.length === 0)
    errors.push(required(`${at}.rules`, "at least one rules must be specified when the successPolicy is specified"));
  if (rules.length > mostRules) errors.push(tooMany(`${at}.rules`, rules.length, mostRules));
  return [
    ...errors,
    ...check.eachItem(rules, `${at}.rules`, (rule, path) => successRuleErrors(rule, spec.completions ?? 0, path)),
  ];
}

function successRuleErrors(
  { succeededCount: count, succeededIndexes: indexes }: batch.SuccessPolicyRule,
  completions: number,
  at: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (count === undefined && indexes === undefined)
    errors.push(required(at, "at least one of succeededCount or succeededIndexes must be specified"));
  const total = countIndexes(indexes ?? "", completions);
  if ((indexes ?? "").length > mostIndexes) errors.push(tooLong(`${at}.succeededIndexes`, mostIndexes));
  if (total === undefined) errors.push(invalid(`${at}.succeededIndexes`, indexes, wrongIndexes));
  if (count === undefined) return errors;
  pushAll(errors, check.nonNegative(`${at}.succeededCount`, count));
  for (const most of [completions, ...(indexes === undefined ? [] : [total ?? 0])])
    pushAll(errors, check.atMost(`${at}.succeededCount`, count, most));
  return errors;
}

/** Error text for malformed indexes. */
export const wrongIndexes = "must be increasing indexes and intervals below the completions, such as '1,3-5'";

/** Counts the indexes in a text such as `1,3-5`; `undefined` if it is malformed. */
export function countIndexes(text: string, completions: number): number | undefined {
  return parseIndexes(text, completions)?.reduce((total, [from, to]) => total + to - from + 1, 0);
}

/** Parses the intervals in a text such as `1,3-5`; `undefined` if it is malformed. */
export function parseIndexes(text: string, completions: number): (readonly [from: number, to: number])[] | undefined {
  const intervals: (readonly [number, number])[] = [];
  for (const part of text === "" ? [] : text.split(",")) {
    const interval = indexInterval(part, completions);
    const last = intervals.at(-1);
    if (interval === undefined || (last !== undefined && last[1] >= interval[0])) return undefined;
    intervals.push(interval);
  }
  return intervals;
}

/** Parses a part such as `3-5` to its first and last index; `undefined` if it is malformed. */
export function indexInterval(part: string, completions: number): readonly [number, number] | undefined {
  const limits = part.split("-");
  if (limits.length > 2 || limits.some((limit) => !/^[+-]?\d+$/.test(limit) || Number(limit) >= completions))
    return undefined;
  const [from = 0, to = from] = limits.map(Number);
  return limits.length === 2 && from >= to ? undefined : [from, to];
}
