import type { CelProgram } from "../../cel/cel.js";
import { CelCompileError } from "../../cel/check.js";
import { estimateCost } from "../../cel/cost.js";
import { compileRule, compileRuleMessage } from "../../cel/rules.js";
import { mostValues } from "../../cel/sizes.js";
import { isExposed } from "../../cel/types.js";
import type { FieldError } from "../../errors/field-error.js";
import { namedText } from "../../errors/field-error.js";
import { readFieldPath } from "../../schema/field-path.js";
import type { CelRule, Schema } from "../../schema/schema.js";
import type { RawSchema } from "./internal-schema.js";
import { internalRule } from "./internal-schema.js";

const ruleLimit = 10_000_000;
const totalLimit = 100_000_000;
const mostCost = 2 ** 64;
const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

const forbidden = (field: string, detail: string): FieldError => ({ type: "FieldValueForbidden", field, detail });
const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  value,
  detail,
});
const required = (field: string, detail: string): FieldError => ({ type: "FieldValueRequired", field, detail });

/** What the rules of a schema's node are held against besides the node itself. */
export interface RulePlace {
  readonly root: boolean;
  /** How many values of this schema one object can hold, infinite where a list or map around it has no bound. */
  readonly count: number;
  /** The first list around it whose elements cannot be followed between updates. */
  readonly loose: string | undefined;
  /** Whether rules know this schema, and all schemas around it down from the first one with rules. */
  readonly typed: boolean;
  /** Whether a schema around it has rules. */
  readonly ruled: boolean;
  /** Estimated costs of all rules, by their fields. */
  readonly costs: { readonly field: string; readonly cost: number }[];
}

/** The place of a schema's root. */
export function rootPlace(schema: RawSchema): RulePlace {
  const ruled = (schema["x-kubernetes-validations"] ?? []).length > 0;
  return { root: true, count: 1, loose: undefined, typed: true, ruled, costs: [] };
}

/** The place of a schema within another one. `loose` is the field of a list around it, if that is one whose elements cannot be followed. */
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

/** Errors of the texts of rules: what can be told without compiling them. */
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
  if (reason !== undefined && !reasons.includes(reason))
    errors.push({
      type: "FieldValueNotSupported",
      field: `${field}.reason`,
      value: namedText(reason),
      detail: `supported values: ${reasons.map((each) => JSON.stringify(each)).join(", ")}`,
    });
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

/** Errors of the rules of one schema: they must compile, and not cost too much. */
export function ruleErrors(schema: RawSchema, field: string, place: RulePlace): FieldError[] {
  const rules = schema["x-kubernetes-validations"] ?? [];
  if (rules.length === 0) return [];
  const at = `${field}.x-kubernetes-validations`;
  if (!place.typed) {
    return [
      {
        type: "InternalError",
        field: at,
        detail:
          "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations",
      },
    ];
  }
  const errors: FieldError[] = [];
  rules.forEach((rule, index) => checkRule(rule, schema as Schema, `${at}[${index}]`, place, errors));
  return errors;
}

function checkRule(rule: CelRule, schema: Schema, field: string, place: RulePlace, errors: FieldError[]): void {
  const resource = place.root || schema["x-kubernetes-embedded-resource"] === true;
  let usesOldSelf = false;
  const compiled = compiledPart(`${field}.rule`, rule, "compilation failed", errors, () =>
    compileRule(rule, schema, resource),
  );
  let cost = 0;
  if (compiled?.program.type.kind === "bool") {
    usesOldSelf = compiled.usesOldSelf;
    const values = place.count === Number.POSITIVE_INFINITY ? mostValues(schema) : place.count;
    cost = Math.min(costOf(compiled.program, schema, resource) * values, mostCost);
    if (cost > ruleLimit) errors.push(forbidden(`${field}.rule`, exceeds("estimated rule cost", cost / ruleLimit)));
  } else if (compiled !== undefined)
    errors.push(invalid(`${field}.rule`, internalRule(rule), "cel expression must evaluate to a bool"));
  place.costs.push({ field: `${field}.rule`, cost });
  if (compiled?.program.type.kind === "bool" && (rule.messageExpression ?? "") !== "")
    checkMessage(rule, schema, field, resource, place, errors);
  if (usesOldSelf && place.loose !== undefined)
    errors.push(
      invalid(
        `${field}.rule`,
        rule.rule,
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.loose}`,
      ),
    );
  if (!usesOldSelf && rule.optionalOldSelf !== undefined)
    errors.push(
      invalid(`${field}.optionalOldSelf`, rule.optionalOldSelf, "may not be set if oldSelf is not used in rule"),
    );
}

function checkMessage(
  rule: CelRule,
  schema: Schema,
  field: string,
  resource: boolean,
  place: RulePlace,
  errors: FieldError[],
): void {
  const at = `${field}.messageExpression`;
  const program = compiledPart(at, rule, "messageExpression compilation failed", errors, () =>
    compileRuleMessage(rule, schema, resource),
  );
  if (program === undefined) return;
  if (program.type.kind !== "string") {
    errors.push(invalid(at, internalRule(rule), "messageExpression must evaluate to a string"));
    return;
  }
  const cost = costOf(program, schema, resource);
  if (cost > ruleLimit) errors.push(forbidden(at, exceeds("estimated messageExpression cost", cost / ruleLimit)));
  place.costs.push({ field: at, cost });
}

function compiledPart<T>(
  field: string,
  rule: CelRule,
  failed: string,
  errors: FieldError[],
  compile: () => T,
): T | undefined {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    errors.push(invalid(field, internalRule(rule), `${failed}: ${error.message}`));
    return undefined;
  }
}

function costOf(program: CelProgram, schema: Schema, root: boolean): number {
  return estimateCost(program.ast, { schema, root, typeOf: (node) => program.typeOf(node) });
}

/** Errors of what all rules of a schema cost together. */
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
      forbidden(place, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"),
    ),
    forbidden(
      field,
      exceeds("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", total / totalLimit),
    ),
  ];
}

function exceeds(what: string, factor: number): string {
  const by = factor > 100 ? "more than 100x" : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${by} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
