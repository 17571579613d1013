import type { CelProgram } from "../../cel/cel.js";
import { CelCompileError } from "../../cel/checker/check.js";
import { isExposed } from "../../cel/checker/types.js";
import { estimateCost } from "../../cel/cost/cost.js";
import { mostValues } from "../../cel/cost/sizes.js";
import { compileRule, compileRuleMessage } from "../../cel/rules.js";
import type { FieldError } from "../../errors/field-error.js";
import { readFieldPath } from "../../schema/field-path.js";
import type { CelRule, Schema } from "../../schema/schema.js";
import { forbidden, invalid, notSupported, required } from "../shared/field-errors.js";
import type { RawSchema } from "./raw-schema.js";

const ruleLimit = 10_000_000;
const totalLimit = 100_000_000;
const mostCost = 2 ** 64;
const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** Context of a schema for the validation of its rules. */
export interface RulePlace {
  readonly root: boolean;
  /** Number of values of this schema in one object; infinite within a list or map without a limit. */
  readonly count: number;
  /** Field of the nearest list whose elements can't be correlated between updates. */
  readonly loose: string | undefined;
  /** True if CEL has a type for this schema and for its parents, from the first one with rules. */
  readonly typed: boolean;
  /** True if a parent schema has rules. */
  readonly ruled: boolean;
  /** Estimated costs of all rules, by field. */
  readonly costs: { readonly field: string; readonly cost: number }[];
}

/** Returns the context of a root schema. */
export function rootPlace(schema: RawSchema): RulePlace {
  const ruled = (schema["x-kubernetes-validations"] ?? []).length > 0;
  return { root: true, count: 1, loose: undefined, typed: true, ruled, costs: [] };
}

/**
 * Returns the context of a nested schema. `loose`: field of the enclosing list, if its elements can't be correlated.
 */
export function placeWithin(place: RulePlace, parent: RawSchema, schema: RawSchema, loose?: string): RulePlace {
  const ruled = place.ruled || (schema["x-kubernetes-validations"] ?? []).length > 0;
  const typed = !ruled || ((place.ruled ? place.typed : true) && isExposed(schema as Schema));
  return { ...place, root: false, count: times(place.count, parent), loose: place.loose ?? loose, typed, ruled };
}

function times(count: number, { type, additionalProperties, maxProperties, maxItems }: RawSchema): number {
  const most =
    type === "array" ? maxItems : type === "object" && additionalProperties !== undefined ? maxProperties : 1;
  return count === Number.POSITIVE_INFINITY || most === undefined
    ? Number.POSITIVE_INFINITY
    : Math.min(count * Math.max(most, 0), mostCost);
}

/** Returns the errors of rules that don't require compilation. */
export function ruleTextErrors(schema: RawSchema, place: string): FieldError[] {
  const errors: FieldError[] = [];
  (schema["x-kubernetes-validations"] ?? []).forEach((rule, at) =>
    checkTexts(rule, schema, `${place}.x-kubernetes-validations[${at}]`, errors),
  );
  return errors;
}

const lineBreak = /[\n\r]/;

function checkTexts(rule: CelRule, schema: RawSchema, field: string, errors: FieldError[]): void {
  const { message = "", messageExpression = "", fieldPath = "", reason } = rule;
  const text = rule.rule.trim();
  if (text === "") errors.push(required(`${field}.rule`, "rule is not specified"));
  else if (message !== "" && message.trim() === "")
    errors.push(invalid(`${field}.message`, message, "must be non-empty if specified"));
  else if (lineBreak.test(message.trim()))
    errors.push(invalid(`${field}.message`, message, "must not contain line breaks"));
  else if (lineBreak.test(text) && message.trim() === "")
    errors.push(required(`${field}.message`, "message must be specified if rule contains line breaks"));
  if (messageExpression !== "" && messageExpression.trim() === "")
    errors.push(required(`${field}.messageExpression`, "messageExpression must be non-empty if specified"));
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${field}.reason`, reason, reasons));
  if (fieldPath !== "" && fieldPath.trim() === "")
    errors.push(invalid(`${field}.fieldPath`, fieldPath, "must be non-empty if specified"));
  if (lineBreak.test(fieldPath)) errors.push(invalid(`${field}.fieldPath`, fieldPath, "must not contain line breaks"));
  if (fieldPath !== "" && !isPathOf(schema, fieldPath))
    errors.push(invalid(`${field}.fieldPath`, fieldPath, "must be a valid path"));
}

function isPathOf(schema: RawSchema, path: string): boolean {
  try {
    readFieldPath(path, schema as Schema);
    return true;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return false;
  }
}

/** Validates the rules of a schema, which must compile and stay within the cost limit. */
export function ruleErrors(schema: RawSchema, field: string, place: RulePlace): FieldError[] {
  const rules = schema["x-kubernetes-validations"] ?? [];
  if (rules.length === 0) return [];
  const at = `${field}.x-kubernetes-validations`;
  if (!place.typed) {
    return [{ type: "InternalError", field: at, detail: "the schema has no CEL type" }];
  }
  const errors: FieldError[] = [];
  rules.forEach((rule, index) => checkRule(rule, schema as Schema, `${at}[${index}]`, { place, errors }));
  return errors;
}

/** Context of a rule, and the errors found so far. */
interface RuleCheck {
  readonly place: RulePlace;
  readonly errors: FieldError[];
}

function checkRule(rule: CelRule, schema: Schema, field: string, check: RuleCheck): void {
  const { place, errors } = check;
  const resource = place.root || schema["x-kubernetes-embedded-resource"] === true;
  let usesOldSelf = false;
  const compiled = compiledPart(`${field}.rule`, rule, errors, () => compileRule(rule, schema, resource));
  let cost = 0;
  if (compiled?.program.type.kind === "bool") {
    usesOldSelf = compiled.usesOldSelf;
    const values = place.count === Number.POSITIVE_INFINITY ? mostValues(schema) : place.count;
    cost = Math.min(costOf(compiled.program, schema, resource) * values, mostCost);
    if (cost > ruleLimit) errors.push(forbidden(`${field}.rule`, exceeds("estimated rule cost", cost / ruleLimit)));
  } else if (compiled !== undefined)
    errors.push(invalid(`${field}.rule`, rule.rule, "cel expression must evaluate to a bool"));
  place.costs.push({ field: `${field}.rule`, cost });
  if (compiled?.program.type.kind === "bool" && (rule.messageExpression ?? "") !== "")
    checkMessage(rule, schema, field, { ...check, resource });
  if (usesOldSelf && place.loose !== undefined)
    errors.push(invalid(`${field}.rule`, rule.rule, `oldSelf cannot be used within ${place.loose}`));
  if (!usesOldSelf && rule.optionalOldSelf !== undefined)
    errors.push(
      invalid(`${field}.optionalOldSelf`, rule.optionalOldSelf, "may not be set if oldSelf is not used in rule"),
    );
}

function checkMessage(
  rule: CelRule,
  schema: Schema,
  field: string,
  { resource, place, errors }: RuleCheck & { readonly resource: boolean },
): void {
  const at = `${field}.messageExpression`;
  const program = compiledPart(at, rule, errors, () => compileRuleMessage(rule, schema, resource));
  if (program === undefined) return;
  if (program.type.kind !== "string") {
    errors.push(invalid(at, rule.rule, "messageExpression must evaluate to a string"));
    return;
  }
  const cost = costOf(program, schema, resource);
  if (cost > ruleLimit) errors.push(forbidden(at, exceeds("estimated messageExpression cost", cost / ruleLimit)));
  place.costs.push({ field: at, cost });
}

function compiledPart<T>(field: string, rule: CelRule, errors: FieldError[], compile: () => T): T | undefined {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    errors.push(invalid(field, rule.rule, `compilation failed: ${error.message}`));
    return undefined;
  }
}

function costOf(program: CelProgram, schema: Schema, root: boolean): number {
  return estimateCost(program.ast, { schema, root, typeOf: (node) => program.typeOf(node) });
}

/** Returns the errors of rules that exceed the cost limit in total. */
export function totalCostErrors({ costs }: RulePlace, field: string): FieldError[] {
  const total = Math.min(
    costs.reduce((sum, { cost }) => sum + cost, 0),
    mostCost,
  );
  if (total <= totalLimit) return [];
  const expensive = costs
    .filter(({ cost }) => cost >= totalLimit / 100)
    .sort((a, b) => b.cost - a.cost)
    .slice(0, 4);
  return [
    ...expensive.map(({ field: place }) =>
      forbidden(place, "contributes to the total rule cost, which exceeds the limit"),
    ),
    forbidden(field, exceeds("estimated total rule cost", total / totalLimit)),
  ];
}

function exceeds(what: string, factor: number): string {
  return `${what} exceeds budget by factor of ${factor.toFixed(1)} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
