import { equalJson, isJsonObject } from "../../internal/json-value.js";
import { compileCel, evaluateCel, type CelProgram } from "./cel.js";
import { CelCompileError } from "./cel-check.js";
import { toCel } from "./cel-data.js";
import { dynType, typeOfSchema } from "./cel-types.js";
import { CelError, CelOptional, type CelValue } from "./cel-values.js";
import { correlatedItem, correlatedMember } from "./correlate.js";
import type { FieldError } from "./field-error.js";
import { memberSchema } from "./prune.js";
import type { CelRule, Schema } from "./schema.js";

/** Most steps of all rules of one object together. */
const budget = 10_000_000;

/** One rule with its programs. */
export interface CompiledRule {
  readonly program: CelProgram;
  readonly messageProgram: CelProgram | undefined;
  readonly usesOldSelf: boolean;
}

/** Compiles a rule for values of a schema. Throws a `CelCompileError`. */
export function compileRule(rule: CelRule, schema: Schema, root: boolean): CompiledRule {
  const self = typeOfSchema(schema, root);
  const variables = new Map([["self", self], ["oldSelf", rule.optionalOldSelf === true ? dynType : self]]);
  const program = compileCel(rule.rule, variables);
  return {
    program,
    messageProgram: rule.messageExpression === undefined || rule.messageExpression === "" ? undefined : compileCel(rule.messageExpression, variables),
    usesOldSelf: program.variables.has("oldSelf"),
  };
}

/** Whether a schema has rules anywhere. */
export function hasRules(schema: Schema | undefined): boolean {
  if (schema === undefined) return false;
  if ((schema["x-kubernetes-validations"] ?? []).length > 0 || hasRules(schema.items)) return true;
  return (typeof schema.additionalProperties === "object" && hasRules(schema.additionalProperties)) || Object.values(schema.properties ?? {}).some(hasRules);
}

/** Errors of the rules of a schema. Rules over `oldSelf` run where there is an old value; others are not held against what did not change. */
export function validateRules(object: unknown, schema: Schema, old?: unknown): FieldError[] {
  const walk: Walk = { errors: [], left: budget };
  visit(object, schema, "", old, walk);
  return walk.errors;
}

interface Walk {
  readonly errors: FieldError[];
  /** Steps left; below zero nothing more is evaluated. */
  left: number;
}

const compiled = new WeakMap<CelRule, CompiledRule | CelCompileError>();

function compiledRule(rule: CelRule, schema: Schema, root: boolean): CompiledRule | CelCompileError {
  let found = compiled.get(rule);
  if (found === undefined) {
    try {
      found = compileRule(rule, schema, root);
    } catch (error) {
      if (!(error instanceof CelCompileError)) throw error;
      found = error;
    }
    compiled.set(rule, found);
  }
  return found;
}

function visit(value: unknown, schema: Schema, path: string, old: unknown, walk: Walk): void {
  if (walk.left < 0 || !hasRulesCached(schema)) return;
  const rules = schema["x-kubernetes-validations"] ?? [];
  if (rules.length > 0 && value !== null) applyRules(rules, value, schema, path, old, walk);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined) value.forEach((item, at) => visit(item, items, `${path}[${at}]`, correlatedItem(item, old, schema), walk));
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      const property = memberSchema(schema, key);
      if (property !== undefined && property !== true) visit(value[key], property, memberPath(schema, path, key), correlatedMember(old, key), walk);
    }
  }
}

const ruled = new WeakMap<Schema, boolean>();

function hasRulesCached(schema: Schema): boolean {
  let known = ruled.get(schema);
  if (known === undefined) ruled.set(schema, (known = hasRules(schema)));
  return known;
}

function memberPath(schema: Schema, path: string, key: string): string {
  if (schema.properties === undefined || !Object.hasOwn(schema.properties, key)) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

function applyRules(rules: readonly CelRule[], value: unknown, schema: Schema, path: string, old: unknown, walk: Walk): void {
  const unchanged = old !== undefined && equalJson(value, old);
  let self: CelValue | undefined;
  let oldSelf: CelValue | undefined;
  for (const rule of rules) {
    if (walk.left < 0) return;
    const ready = compiledRule(rule, schema, path === "");
    if (ready instanceof CelCompileError) {
      walk.errors.push(typed(schema, path, `rule compile error: ${ready.message}`));
      continue;
    }
    if (ready.usesOldSelf ? old === undefined && rule.optionalOldSelf !== true : unchanged) continue;
    self ??= guarded(() => toCel(value, schema), schema, path, rule, walk);
    if (self === undefined) return;
    if (old !== undefined) oldSelf ??= toCel(old, schema);
    const before = rule.optionalOldSelf === true ? new CelOptional(oldSelf) : oldSelf;
    runRule(rule, ready, { self, ...(before === undefined ? {} : { oldSelf: before }) }, value, schema, path, walk);
  }
}

function guarded(work: () => CelValue, schema: Schema, path: string, rule: CelRule, walk: Walk): CelValue | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    walk.errors.push(typed(schema, path, `${error.message} evaluating rule: ${shownRule(rule)}`));
    return undefined;
  }
}

function runRule(rule: CelRule, ready: CompiledRule, variables: Readonly<Record<string, CelValue>>, value: unknown, schema: Schema, path: string, walk: Walk): void {
  let passed: CelValue;
  try {
    const result = evaluateCel(ready.program, variables);
    walk.left -= result.cost;
    passed = result.value;
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    walk.errors.push(typed(schema, path, evaluationMessage(error, rule)));
    if (error.message.startsWith("operation cancelled")) walk.left = -1;
    return;
  }
  if (walk.left < 0) {
    walk.errors.push(typed(schema, path, "validation failed due to running out of cost budget, no further validation rules will be run"));
    return;
  }
  if (passed === true) return;
  const shown = schema.type === "object" || schema.type === "array" ? undefined : value;
  const place = (rule.fieldPath ?? "") === "" ? path : joinFieldPath(path, rule.fieldPath!);
  walk.errors.push(failure(rule, place, shown, ruleMessage(rule, ready, variables, walk)));
}

function evaluationMessage(error: CelError, rule: CelRule): string {
  if (error.message.startsWith("no such overload")) return `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${shownRule(rule)}`;
  if (error.message.startsWith("operation cancelled")) return `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${shownRule(rule)}`;
  return `${error.message} evaluating rule: ${shownRule(rule)}`;
}

function ruleMessage(rule: CelRule, ready: CompiledRule, variables: Readonly<Record<string, CelValue>>, walk: Walk): string {
  if (ready.messageProgram !== undefined) {
    try {
      const result = evaluateCel(ready.messageProgram, variables);
      walk.left -= result.cost;
      const text = typeof result.value === "string" ? result.value.trim() : "";
      if (text !== "" && !text.includes("\n") && text.length <= 5 * 1024) return text;
    } catch (error) {
      // A message that cannot be made gives way to the fixed one.
      if (!(error instanceof CelError)) throw error;
    }
  }
  const message = (rule.message ?? "").trim();
  return message === "" ? `failed rule: ${rule.rule.trim()}` : message;
}

function shownRule(rule: CelRule): string {
  const message = (rule.message ?? "").trim();
  return message === "" ? rule.rule.trim() : message;
}

function typed(schema: Schema, path: string, detail: string): FieldError {
  return { type: "FieldValueInvalid", field: path, value: schema.type ?? "", detail };
}

const reasons = new Set(["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"]);

function failure(rule: CelRule, field: string, value: unknown, detail: string): FieldError {
  const type = reasons.has(rule.reason ?? "") ? (rule.reason as FieldError["type"]) : "FieldValueInvalid";
  if (type === "FieldValueDuplicate") return { type, field, ...(value === undefined ? {} : { value }), detail: "" };
  return { type, field, ...(value === undefined || type !== "FieldValueInvalid" ? {} : { value }), detail };
}

/** Appends a path as `.a['b.c']` to another one. */
export function joinFieldPath(path: string, relative: string): string {
  const steps = [...relative.matchAll(/\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/g)];
  return steps.reduce((joined, step) => (step[1] === undefined ? `${joined}[${(step[2] ?? "").replace(/\\(.)/g, "$1")}]` : joined === "" ? step[1] : `${joined}.${step[1]}`), path);
}
