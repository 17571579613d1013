import { CelCompileError } from "../schema/cel-check.js";
import { compileRule } from "../schema/cel-rules.js";
import { estimateCost } from "../schema/cel-cost.js";
import { mostValues } from "../schema/cel-sizes.js";
import type { FieldError } from "../schema/field-error.js";
import type { CelRule, Schema } from "../schema/schema.js";

const ruleLimit = 10_000_000;
const totalLimit = 100_000_000;
const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

const forbidden = (field: string, detail: string): FieldError => ({ type: "FieldValueForbidden", field, detail });
const invalid = (field: string, value: unknown, detail: string): FieldError => ({ type: "FieldValueInvalid", field, value, detail });
const required = (field: string, detail: string): FieldError => ({ type: "FieldValueRequired", field, detail });

interface Walk {
  readonly errors: FieldError[];
  /** Estimated costs by the fields of their rules. */
  readonly costs: { readonly field: string; readonly cost: number }[];
}

/** Errors of the rules of a schema: they must compile, tell of what is wrong in one line, and not cost too much. */
export function validateSchemaRules(schema: Schema, field: string): FieldError[] {
  const walk: Walk = { errors: [], costs: [] };
  visit(schema, field, true, 1, undefined, walk);
  const total = walk.costs.reduce((sum, { cost }) => sum + cost, 0);
  if (total > totalLimit) {
    const expensive = walk.costs.filter(({ cost }) => cost >= totalLimit / 100).sort((a, b) => b.cost - a.cost).slice(0, 4);
    for (const { field: place } of expensive) walk.errors.push(forbidden(place, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"));
    walk.errors.push(forbidden(field, exceeds("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", total / totalLimit)));
  }
  return walk.errors;
}

function exceeds(what: string, factor: number): string {
  const by = factor > 100 ? "more than 100x" : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${by} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** `count` is how many values of this schema one object can hold, infinite where no list or map around it has a bound of its own; `loose` the first ancestor whose elements cannot be followed between updates. */
function visit(schema: Schema, field: string, root: boolean, count: number, loose: string | undefined, walk: Walk): void {
  (schema["x-kubernetes-validations"] ?? []).forEach((rule, at) => checkRule(rule, schema, `${field}.x-kubernetes-validations[${at}]`, root, count, loose, walk));
  for (const [name, property] of Object.entries(schema.properties ?? {})) visit(property, `${field}.properties[${name}]`, false, count, loose, walk);
  if (schema.items !== undefined) {
    const followed = schema["x-kubernetes-list-type"] === "map";
    visit(schema.items, `${field}.items`, false, times(count, schema.maxItems), loose ?? (followed ? undefined : field), walk);
  }
  if (typeof schema.additionalProperties === "object") visit(schema.additionalProperties, `${field}.additionalProperties`, false, times(count, schema.maxProperties), loose, walk);
}

function times(count: number, most: number | undefined): number {
  if (count === Number.POSITIVE_INFINITY) return count;
  return most === undefined ? Number.POSITIVE_INFINITY : count * Math.max(most, 0);
}

function checkRule(rule: CelRule, schema: Schema, field: string, root: boolean, count: number, loose: string | undefined, walk: Walk): void {
  const { errors } = walk;
  if (rule.rule.trim() === "") {
    errors.push(required(`${field}.rule`, "rule is not specified"));
    return;
  }
  checkTexts(rule, field, errors);
  if (rule.reason !== undefined && !reasons.includes(rule.reason)) errors.push({ type: "FieldValueNotSupported", field: `${field}.reason`, value: rule.reason, detail: `supported values: ${reasons.map((reason) => JSON.stringify(reason)).join(", ")}` });
  if (rule.fieldPath !== undefined && rule.fieldPath !== "") checkFieldPath(rule.fieldPath, schema, field, errors);
  try {
    const compiled = compileRule(rule, schema, root);
    if (compiled.program.type.kind !== "bool" && compiled.program.type.kind !== "dyn") errors.push(invalid(`${field}.rule`, internalRule(rule), "cel expression must evaluate to a bool"));
    const messageKind = compiled.messageProgram?.type.kind;
    if (messageKind !== undefined && messageKind !== "string" && messageKind !== "dyn") errors.push(invalid(`${field}.messageExpression`, internalRule(rule), "messageExpression must evaluate to a string"));
    if (compiled.usesOldSelf && loose !== undefined) errors.push(invalid(`${field}.rule`, rule.rule, `oldSelf cannot be used on the uncorrelatable portion of the schema within ${loose}`));
    if (rule.optionalOldSelf !== undefined && !compiled.usesOldSelf) errors.push(invalid(`${field}.optionalOldSelf`, rule.optionalOldSelf, "may not be set if oldSelf is not used in rule"));
    const values = count === Number.POSITIVE_INFINITY ? mostValues(schema) : count;
    for (const [part, program] of [["rule", compiled.program], ["messageExpression", compiled.messageProgram]] as const) {
      if (program === undefined) continue;
      const cost = estimateCost(program.ast, { schema, root, typeOf: (node) => program.typeOf(node) }) * values;
      walk.costs.push({ field: `${field}.${part}`, cost });
      if (cost > ruleLimit) errors.push(forbidden(`${field}.${part}`, exceeds(`estimated ${part} cost`, cost / ruleLimit)));
    }
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    errors.push(invalid(`${field}.rule`, internalRule(rule), `compilation failed: ${error.message}`));
  }
}

function checkTexts(rule: CelRule, field: string, errors: FieldError[]): void {
  if (rule.message !== undefined && rule.message !== "") {
    if (rule.message.trim() === "") errors.push(invalid(`${field}.message`, rule.message, "message must be non-empty if specified"));
    else if (/[\r\n]/.test(rule.message)) errors.push(invalid(`${field}.message`, rule.message, "message must not contain line breaks"));
    else if (rule.message.length > 2048) errors.push({ type: "FieldValueTooLong", field: `${field}.message`, detail: "may not be more than 2048 bytes" });
  } else if (/[\r\n]/.test(rule.rule.trim())) errors.push(required(`${field}.message`, "message must be specified if rule contains line breaks"));
  if (rule.messageExpression !== undefined && rule.messageExpression !== "" && rule.messageExpression.trim() === "") errors.push(required(`${field}.messageExpression`, "messageExpression must be non-empty if specified"));
}

function checkFieldPath(path: string, schema: Schema, field: string, errors: FieldError[]): void {
  const steps = [...path.matchAll(/\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/g)];
  const whole = steps.map((step) => step[0]).join("") === path;
  let current: Schema | undefined = schema;
  for (const step of steps) {
    const name = step[1] ?? (step[2] ?? "").replace(/\\(.)/g, "$1");
    const additional: Schema["additionalProperties"] = current?.additionalProperties;
    current = current?.properties?.[name] ?? (typeof additional === "object" ? additional : undefined);
    if (current === undefined) {
      errors.push(invalid(`${field}.fieldPath`, path, `fieldPath must be a valid path: does not refer to a valid field`));
      return;
    }
  }
  if (!whole || steps.length === 0) errors.push(invalid(`${field}.fieldPath`, path, "fieldPath must be a valid path"));
}

/** A rule as the server shows it: its own form. */
function internalRule(rule: CelRule): unknown {
  return { Rule: rule.rule, Message: rule.message ?? "", MessageExpression: rule.messageExpression ?? "", Reason: rule.reason ?? null, FieldPath: rule.fieldPath ?? "", OptionalOldSelf: rule.optionalOldSelf ?? null };
}
