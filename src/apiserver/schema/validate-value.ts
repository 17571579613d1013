import { canonicalText } from "../../internal/go-text.js";
import { equalJson, isJsonObject, type JsonObject } from "../../internal/json-value.js";
import { compileGoRegExp } from "../../internal/re2.js";
import { correlatedItem, correlatedMember } from "./correlate.js";
import type { FieldError } from "./field-error.js";
import { hasFormat } from "./formats.js";
import type { Schema } from "./schema.js";

/**
 * Errors of a value against a schema, with the reasons and words of the server. Where `old` is given, parts that did not change are taken as
 * they are: an object that was valid under an older schema can still be updated.
 */
export function validateValue(value: unknown, schema: Schema, old?: unknown): FieldError[] {
  return check(value, schema, "", old).errors;
}

interface Outcome {
  readonly errors: FieldError[];
  /** How many checks were made: the alternative that got farthest tells its errors. */
  readonly checks: number;
}

const noErrors: Outcome = { errors: [], checks: 1 };

function check(value: unknown, schema: Schema, path: string, old: unknown): Outcome {
  if (old !== undefined && equalJson(value, old)) return noErrors;
  const errors: FieldError[] = [];
  let checks = 1;
  const merge = (outcome: Outcome): void => {
    errors.push(...outcome.errors);
    checks += outcome.checks;
  };
  errors.push(...typeErrors(value, schema, path));
  if (value === null) return { errors, checks };
  checkAlternatives(value, schema, path, old, merge);
  if (typeof value === "string") errors.push(...stringErrors(value, schema, path));
  if (typeof value === "number") errors.push(...numberErrors(value, schema, path));
  if (Array.isArray(value)) checkList(value, schema, path, old, merge);
  if (schema.enum !== undefined && schema.enum.length > 0 && !schema.enum.some((allowed) => equalJson(allowed, value))) {
    const allowed = schema.enum.map((one) => JSON.stringify(typeof one === "string" ? one : JSON.stringify(one)));
    errors.push({ type: "FieldValueNotSupported", field: path, value, detail: `supported values: ${allowed.join(", ")}` });
  }
  if (isJsonObject(value)) checkMap(value, schema, path, old, merge);
  return { errors, checks };
}

/** What JSON schemas call the type of a value. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function typeErrors(value: unknown, schema: Schema, path: string): FieldError[] {
  const types: string[] = schema["x-kubernetes-int-or-string"] === true ? ["integer", "string"] : schema.type === undefined ? [] : [schema.type];
  const name = typeName(value);
  const wrong = (expected: string, shown: unknown): FieldError[] => [{ type: "FieldValueTypeInvalid", field: path, value: shown, detail: `${inBody(path)} must be of type ${expected}: ${canonicalText(shown)}` }];
  if (value === null) return types.length > 0 && schema.nullable !== true ? wrong(types.join(","), "null") : [];
  const fits = types.length === 0 || types.includes(name) || (name === "integer" && types.includes("number"));
  if (!fits) return wrong(types.join(","), name);
  if (typeof value === "string" && schema.format !== undefined && (schema.type === "string" || schema.type === undefined) && !hasFormat(value, schema.format)) return wrong(schema.format, value);
  return [];
}

function stringErrors(value: string, schema: Schema, path: string): FieldError[] {
  // The first problem is the only one told.
  const length = [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) return [{ type: "FieldValueTooLong", field: path, detail: `may not be more than ${schema.maxLength} bytes` }];
  if (schema.minLength !== undefined && length < schema.minLength) return [invalid(path, value, `should be at least ${schema.minLength} chars long`)];
  if (schema.pattern !== undefined && schema.pattern !== "" && !matches(schema.pattern, value)) return [invalid(path, value, `should match '${schema.pattern}'`)];
  return [];
}

function matches(pattern: string, value: string): boolean {
  try {
    return compileGoRegExp(pattern).test(value);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function numberErrors(value: number, schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.type === "integer" && !Number.isInteger(value)) {
    return [{ type: "FieldValueInvalid", field: "<nil>", value: "", detail: `Checked value must be of type integer (default format) in ${path}` }];
  }
  const bits = schema.type === "integer" && schema.format === "int32" ? 31 : schema.type === "integer" && schema.format === "int64" ? 63 : undefined;
  if (bits !== undefined && (value > 2 ** bits || (bits === 31 && value === 2 ** 31) || value < -(2 ** bits))) {
    // Beyond 64 bits a number is read as a float.
    const float: FieldError[] = bits === 63 ? [{ type: "FieldValueTypeInvalid", field: path, value: "float64", detail: `${path} in body must be of type int64: "float64"` }] : [];
    return [...float, { type: "FieldValueInvalid", field: "<nil>", value: "", detail: `Checked value must be of type integer with format ${schema.format ?? ""} in ${path}` }];
  }
  const { multipleOf, minimum, maximum } = schema;
  if (multipleOf !== undefined && Number.isInteger(value) && Math.trunc(multipleOf) === 0) {
    // Whole numbers are divided as integers, and of a factor below one nothing is left.
    errors.push({ type: "FieldValueInvalid", field: path, value: 0, detail: `factor MultipleOf declared for ${path} must be positive: 0` });
  } else if (multipleOf !== undefined && !isMultiple(value, multipleOf)) errors.push(invalid(path, value, `should be a multiple of ${multipleOf}`));
  if (maximum !== undefined && (schema.exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    errors.push(invalid(path, value, `should be less than ${schema.exclusiveMaximum === true ? "" : "or equal to "}${maximum}`));
  }
  if (minimum !== undefined && (schema.exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    errors.push(invalid(path, value, `should be greater than ${schema.exclusiveMinimum === true ? "" : "or equal to "}${minimum}`));
  }
  return errors;
}

function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

function checkList(value: unknown[], schema: Schema, path: string, old: unknown, merge: (outcome: Outcome) => void): void {
  const errors: FieldError[] = [];
  if (schema.minItems !== undefined && value.length < schema.minItems) errors.push(invalid(path, value.length, `should have at least ${schema.minItems} items`));
  if (schema.maxItems !== undefined && value.length > schema.maxItems) errors.push(tooMany(path, value.length, schema.maxItems));
  if (schema.uniqueItems === true && value.some((item, at) => value.slice(0, at).some((other) => equalJson(item, other)))) errors.push(invalid(path, value, "shouldn't contain duplicates"));
  merge({ errors, checks: 1 });
  const { items } = schema;
  if (items !== undefined) value.forEach((item, at) => merge(check(item, items, `${path}[${at}]`, correlatedItem(item, old, schema))));
}

function checkMap(value: JsonObject, schema: Schema, path: string, old: unknown, merge: (outcome: Outcome) => void): void {
  const errors: FieldError[] = [];
  const keys = Object.keys(value);
  if (schema.minProperties !== undefined && keys.length < schema.minProperties) errors.push(invalid(path, keys.length, `should have at least ${schema.minProperties} properties`));
  if (schema.maxProperties !== undefined && keys.length > schema.maxProperties) errors.push(tooMany(path, keys.length, schema.maxProperties));
  for (const key of schema.required ?? []) if (!Object.hasOwn(value, key)) errors.push({ type: "FieldValueRequired", field: child(path, key), detail: "" });
  merge({ errors, checks: 1 });
  for (const key of keys) {
    const property = schema.properties !== undefined && Object.hasOwn(schema.properties, key) ? schema.properties[key] : schema.additionalProperties;
    if (property === false) merge({ errors: [{ type: "FieldValueInvalid", field: path, value: key, detail: `${path}.${key} in body is a forbidden property` }], checks: 1 });
    else if (typeof property === "object") merge(check(value[key], property, child(path, key), correlatedMember(old, key)));
  }
}

function checkAlternatives(value: unknown, schema: Schema, path: string, old: unknown, merge: (outcome: Outcome) => void): void {
  const against = (one: Schema): Outcome => check(value, one, path, old);
  const whole = (text: string): Outcome => ({ errors: [{ type: "FieldValueInvalid", field: "<nil>", value: "", detail: text }], checks: 0 });
  const name = JSON.stringify(path);
  if (schema.anyOf !== undefined && schema.anyOf.length > 0) {
    const outcomes = schema.anyOf.map(against);
    if (outcomes.every((outcome) => outcome.errors.length > 0)) {
      merge(whole(`${name} must validate at least one schema (anyOf)`));
      merge(farthest(outcomes));
    }
  }
  if (schema.oneOf !== undefined && schema.oneOf.length > 0) {
    const outcomes = schema.oneOf.map(against);
    const valid = outcomes.filter((outcome) => outcome.errors.length === 0).length;
    if (valid !== 1) merge(whole(`${name} must validate one and only one schema (oneOf). ${valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`}`));
    if (valid === 0) merge(farthest(outcomes));
  }
  if (schema.allOf !== undefined && schema.allOf.length > 0) {
    const outcomes = schema.allOf.map(against);
    const valid = outcomes.filter((outcome) => outcome.errors.length === 0).length;
    for (const outcome of outcomes) merge(outcome);
    if (valid !== outcomes.length) merge(whole(`${name} must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`));
  }
  if (schema.not !== undefined && against(schema.not).errors.length === 0) merge(whole(`${name} must not validate the schema (not)`));
}

function farthest(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce((best, outcome) => (outcome.checks > best.checks ? outcome : best));
}

function invalid(path: string, value: unknown, text: string): FieldError {
  return { type: "FieldValueInvalid", field: path, value, detail: `${inBody(path)} ${text}` };
}

function tooMany(path: string, actual: number, most: number): FieldError {
  return { type: "FieldValueTooMany", field: path, detail: `${actual}: must have at most ${most} item${most === 1 ? "" : "s"}` };
}

function inBody(path: string): string {
  return `${path} in body`;
}

function child(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
