import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from "../../../kinds/batch/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { goQuote } from "../../internal/go-text.js";
import {
  duplicate,
  invalid,
  nonNegative,
  notSupported,
  qualifiedName,
  required,
  tooLong,
  tooMany,
  wrong,
} from "../shared/field-errors.js";

const ACTIONS = ["Count", "FailIndex", "FailJob", "Ignore"];
const STATUSES = ["False", "True", "Unknown"];
const MOST_RULES = 20;
const MOST_CODES = 255;
const MOST_INDEXES = 64 * 1024;

const oneOf = (field: string, value: string | undefined, known: readonly string[]): FieldError[] => {
  if ((value ?? "") === "")
    return [required(field, `valid values: [${known.map((each) => JSON.stringify(each)).join(" ")}]`)];
  return known.includes(value!) ? [] : [notSupported(field, value, known)];
};

/** Errors of what is to be done when a pod of a Job fails. */
export function failurePolicyErrors(spec: JobSpec, at: string): FieldError[] {
  const rules = (spec.podFailurePolicy?.rules as readonly PodFailurePolicyRule[] | null | undefined) ?? [];
  const { containers, initContainers } = spec.template.spec ?? { containers: [] };
  const names = new Set(
    [...((containers as typeof containers | null) ?? []), ...(initContainers ?? [])].map(({ name }) => name),
  );
  const errors = rules.length > MOST_RULES ? [tooMany(`${at}.rules`, rules.length, MOST_RULES)] : [];
  rules.forEach(({ action, onExitCodes, onPodConditions = [] }, index) => {
    const path = `${at}.rules[${String(index)}]`;
    if (action === "FailIndex") {
      if (spec.backoffLimitPerIndex === undefined)
        errors.push(invalid(`${path}.action`, action, "requires the backoffLimitPerIndex to be set"));
    } else errors.push(...oneOf(`${path}.action`, action, ACTIONS));
    if (onExitCodes !== undefined) errors.push(...exitCodeErrors(onExitCodes, `${path}.onExitCodes`, names));
    errors.push(...conditionErrors(onPodConditions, `${path}.onPodConditions`));
    if (onExitCodes !== undefined && onPodConditions.length > 0)
      errors.push(wrong(path, "specifying both OnExitCodes and OnPodConditions is not supported"));
    if (onExitCodes === undefined && onPodConditions.length === 0)
      errors.push(wrong(path, "specifying one of OnExitCodes and OnPodConditions is required"));
  });
  return errors;
}

function conditionErrors(patterns: readonly PodFailurePolicyOnPodConditionsPattern[], at: string): FieldError[] {
  return [
    ...(patterns.length > MOST_RULES ? [tooMany(at, patterns.length, MOST_RULES)] : []),
    ...patterns.flatMap(({ type, status }, index) => [
      ...qualifiedName(`${at}[${String(index)}].type`, type),
      ...oneOf(`${at}[${String(index)}].status`, status, STATUSES),
    ]),
  ];
}

function exitCodeErrors(
  { operator, containerName, values: given }: PodFailurePolicyOnExitCodesRequirement,
  at: string,
  names: ReadonlySet<string>,
): FieldError[] {
  const errors = oneOf(`${at}.operator`, operator, ["In", "NotIn"]);
  const values = (given as readonly number[] | null) ?? [];
  if (containerName !== undefined && !names.has(containerName))
    errors.push(
      invalid(
        `${at}.containerName`,
        containerName,
        "must be one of the container or initContainer names in the pod template",
      ),
    );
  if (values.length === 0) errors.push(invalid(`${at}.values`, given, "at least one value is required"));
  else if (values.length > MOST_CODES) errors.push(tooMany(`${at}.values`, values.length, MOST_CODES));
  values.forEach((value, index) => {
    const field = `${at}.values[${String(index)}]`;
    if (operator === "In" && value === 0) errors.push(invalid(field, value, "must not be 0 for the In operator"));
    if (values.indexOf(value) < index) errors.push(duplicate(field, value));
  });
  return values.every((value, index) => index === 0 || values[index - 1]! <= value)
    ? errors
    : [...errors, invalid(`${at}.values`, given, "must be ordered")];
}

/** Errors of when an indexed Job has succeeded. */
export function successPolicyErrors(spec: JobSpec, at: string): FieldError[] {
  const rules = (spec.successPolicy?.rules as readonly SuccessPolicyRule[] | null | undefined) ?? [];
  const errors: FieldError[] = [];
  if (rules.length === 0)
    errors.push(required(`${at}.rules`, "at least one rules must be specified when the successPolicy is specified"));
  if (rules.length > MOST_RULES) errors.push(tooMany(`${at}.rules`, rules.length, MOST_RULES));
  return [
    ...errors,
    ...rules.flatMap((rule, index) => successRuleErrors(rule, spec.completions ?? 0, `${at}.rules[${String(index)}]`)),
  ];
}

function successRuleErrors(
  { succeededCount: count, succeededIndexes: indexes }: SuccessPolicyRule,
  completions: number,
  at: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (count === undefined && indexes === undefined)
    errors.push(required(at, "at least one of succeededCount or succeededIndexes must be specified"));
  const parsed = countIndexes(indexes ?? "", completions);
  if ((indexes ?? "").length > MOST_INDEXES) errors.push(tooLong(`${at}.succeededIndexes`, MOST_INDEXES));
  if (parsed.problem !== undefined)
    errors.push(invalid(`${at}.succeededIndexes`, indexes, `error parsing succeededIndexes: ${parsed.problem}`));
  if (count === undefined) return errors;
  errors.push(...nonNegative(`${at}.succeededCount`, count));
  if (count > completions)
    errors.push(
      invalid(
        `${at}.succeededCount`,
        count,
        `must be less than or equal to ${String(completions)} (the number of specified completions)`,
      ),
    );
  if (indexes !== undefined && count > parsed.total)
    errors.push(
      invalid(
        `${at}.succeededCount`,
        count,
        `must be less than or equal to ${String(parsed.total)} (the number of indexes in the specified succeededIndexes field)`,
      ),
    );
  return errors;
}

/** How many indexes a text such as `1,3-5` names, and why it is no such text. */
export function countIndexes(text: string, completions: number): { readonly total: number; readonly problem?: string } {
  let total = 0;
  let last: number | undefined;
  for (const part of text === "" ? [] : text.split(",")) {
    const interval = indexInterval(part, completions);
    if (typeof interval === "string") return { total: 0, problem: interval };
    const [from, to] = interval;
    if (last !== undefined && last >= from)
      return { total: 0, problem: `non-increasing order, previous: ${String(last)}, current: ${String(from)}` };
    total += to - from + 1;
    last = to;
  }
  return { total };
}

/** The first and last index that a part names, or why it names none. */
export function indexInterval(part: string, completions: number): readonly [number, number] | string {
  const limits = part.split("-");
  if (limits.length > 2)
    return `the fragment ${JSON.stringify(part)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  const numbers: number[] = [];
  for (const limit of limits) {
    if (!/^[+-]?\d+$/.test(limit)) return `cannot convert string to integer for index: ${goQuote(limit)}`;
    if (Number(limit) >= completions) return `too large index: ${JSON.stringify(limit)}`;
    numbers.push(Number(limit));
  }
  const [from = 0, to = from] = numbers;
  return limits.length === 2 && from >= to
    ? `non-increasing order, previous: ${String(from)}, current: ${String(to)}`
    : [from, to];
}
