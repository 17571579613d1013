import { utf8Encode } from "../../internal/bytes.js";
import type { FieldError } from "../errors/field-error.js";
import { invalidField } from "../errors/field-error.js";
import { goQuote } from "../internal/go-text.js";
import type { CelRule, Schema } from "../schema/schema.js";
import { type CelProgram, type CelResult, evaluateCel } from "./cel.js";
import { CelError, type CelValue } from "./values/values.js";

/** A rule with its compiled programs. */
export interface CompiledRule {
  readonly rule: CelRule;
  readonly program: CelProgram;
  readonly messageProgram: CelProgram | undefined;
  readonly usesOldSelf: boolean;
  /** Returns the path to report, given that of the value. */
  readonly place: (path: string) => string;
}

/** State of a validation across all rules. */
export interface RuleWalk {
  readonly errors: FieldError[];
  /** Remaining cost; below zero, evaluation stops. */
  left: number;
}

/** Value whose rules run. */
export interface RulesAt {
  readonly value: unknown;
  readonly schema: Schema;
  readonly path: string;
  /** True if the value didn't change, in which case failures are only warnings. */
  unchanged(): boolean;
  readonly warn: (error: FieldError) => void;
}

type Variables = Readonly<Record<string, () => CelValue>>;

/** Variables of a rule and of its message. */
export interface RuleVariables {
  readonly rule: Variables;
  readonly message: Variables;
}

const mostMessageBytes = 5 * 1024;
const cancelled = "operation cancelled";

/** Runs a rule, and its message expression if it fails. Adds the result to `walk`. */
export function runRule(ready: CompiledRule, variables: RuleVariables, at: RulesAt, walk: RuleWalk): void {
  const { rule } = ready;
  const typed = (field: string, detail: string): FieldError => invalidField(field, at.schema.type ?? "", detail);
  const result = evaluated(ready.program, variables.rule);
  walk.left -= result.cost;
  if (walk.left < 0) {
    walk.errors.push(
      typed(at.path, "validation failed due to running out of cost budget, no further validation rules will be run"),
    );
    return;
  }
  if (result.error !== undefined) {
    walk.errors.push(typed(at.path, failureText(result.error, rule)));
    if (result.error.message.startsWith(cancelled)) walk.left = -1;
    return;
  }
  if (result.value === true) return;
  const place = ready.place(at.path);
  const report = (error: FieldError): void => {
    if (!ready.usesOldSelf && at.unchanged()) at.warn(error);
    else walk.errors.push(error);
  };
  const message =
    ready.messageProgram === undefined ? undefined : ruleMessage(rule, ready.messageProgram, variables.message, walk);
  if (message?.failed !== undefined) report(typed(place, message.failed));
  else report(failure(rule, place, at, message?.text ?? fixedMessage(rule)));
}

function evaluated(
  program: CelProgram,
  variables: Variables,
): Partial<CelResult> & { readonly cost: number; readonly error?: CelError } {
  try {
    return evaluateCel(program, variables);
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return { cost: error.cost, error };
  }
}

function failureText(error: CelError, rule: CelRule): string {
  if (error.message.startsWith("no such overload"))
    return `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${shownRule(rule)}`;
  if (error.message.startsWith(cancelled))
    return `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${shownRule(rule)}`;
  return `${error.message} evaluating rule: ${shownRule(rule)}`;
}

/** Evaluates a message expression; returns `undefined` if it fails. Calls `failed` if the cost limit is exceeded. */
function ruleMessage(
  rule: CelRule,
  program: CelProgram,
  variables: Variables,
  walk: RuleWalk,
): { readonly text?: string; readonly failed?: string } {
  const { value, cost, error } = evaluated(program, variables);
  if (cost > walk.left) {
    walk.left = -1;
    return {
      failed:
        "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run",
    };
  }
  if (error?.message.startsWith(cancelled) === true) {
    walk.left = -1;
    return {
      failed: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${goQuote(rule.messageExpression ?? "")}`,
    };
  }
  walk.left -= cost;
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" || text.includes("\n") || utf8Encode(text).length > mostMessageBytes ? {} : { text };
}

function fixedMessage(rule: CelRule): string {
  return (rule.message ?? "") === "" ? `failed rule: ${shownRule(rule)}` : rule.message!.trim();
}

function shownRule(rule: CelRule): string {
  return ((rule.message ?? "") === "" ? rule.rule : rule.message!).trim();
}

const reasons = new Set(["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"]);

function failure(rule: CelRule, field: string, { value, schema }: RulesAt, detail: string): FieldError {
  const shown = schema.type === "object" || schema.type === "array" ? {} : { value };
  const type = reasons.has(rule.reason ?? "") ? (rule.reason as FieldError["type"]) : "FieldValueInvalid";
  if (type === "FieldValueDuplicate") return { type, field, ...shown, detail: "" };
  return { type, field, ...(type === "FieldValueInvalid" ? shown : {}), detail };
}
