import type { FieldError } from "../errors/field-error.js";
import { invalidField, requiredField } from "../errors/field-error.js";
import { goQuote } from "../internal/go-text.js";
import { equalJson, isJsonObject, type JsonObject, sortKeys } from "../internal/json-value.js";
import { compileGoRegExp } from "../internal/re2.js";
import { hasFormat, isKnownFormat } from "../objects/formats.js";
import type { Correlated } from "./correlate.js";
import type { Schema } from "./schema.js";
import { checkNumber, isWhole, isWithin64Bits } from "./validate-number.js";
import { Outcome } from "./validation-outcome.js";

/** Options of a validation. */
export interface ValueOptions {
  /** The value paired with its previous one: errors of unchanged parts are ignored. */
  readonly correlated?: Correlated | undefined;
  /**
   * True for a default in a definition: unknown formats are checked too, and the type of integers and strings isn't.
   */
  readonly asDefault?: boolean;
}

/**
 * Validates a value against a schema, with kube-apiserver's reasons and messages. Field paths are relative to the
 * value.
 */
export function validateValue(
  value: unknown,
  schema: Schema,
  { correlated, asDefault = false }: ValueOptions = {},
): FieldError[] {
  const outcome = new Outcome();
  checkPart(outcome, value, schema, { path: "", asDefault, correlated });
  return [...outcome.errors.values()].map((error) => ({ ...error, field: error.field.replace(/^\./, "") }));
}

interface Place {
  readonly path: string;
  readonly asDefault: boolean;
  readonly correlated: Correlated | undefined;
}

/** Validates a value; errors are ignored if it didn't change. */
function checkPart(outcome: Outcome, value: unknown, schema: Schema, place: Place): void {
  const { correlated } = place;
  if (correlated === undefined) return check(outcome, value, schema, place);
  const part = new Outcome();
  check(part, correlated.value, schema, place);
  if (part.errors.size > 0 && correlated.equal) part.clear();
  outcome.merge(part);
}

// Checks run for each of up to a million values, so they create nothing unless a value is wrong.
function check(outcome: Outcome, value: unknown, schema: Schema, place: Place): void {
  const { path } = place;
  const format = formatOf(schema, place);
  const types = typesOf(schema, place);
  if (value === null) {
    if (types.length > 0 && schema.nullable !== true) outcome.add(wrongType(path, types.join(","), "null"));
    else outcome.count += 1;
    checkEnum(outcome, value, schema, path);
    return;
  }
  // Each step counts for the choice between alternatives, in addition to what it counts itself.
  outcome.count += 3;
  if (types.length > 0 || format !== "") {
    outcome.count += 1;
    checkType(outcome, value, { types, format, path });
  }
  checkAlternatives(outcome, value, schema, place);
  if (typeof value === "string") {
    outcome.count += 1;
    checkText(outcome, value, schema, path);
    if (format !== "" && isKnownFormat(format)) {
      outcome.count += 1;
      if (!hasFormat(value, format)) outcome.add(wrongType(path, format, value));
    }
  } else if (typeof value === "number") {
    outcome.count += 1;
    checkNumber(outcome, value, { schema, types, path });
  } else if (Array.isArray(value)) {
    outcome.count += 1;
    checkList(outcome, value, schema, place);
  }
  checkEnum(outcome, value, schema, path);
  if (isJsonObject(value)) {
    outcome.count += 1;
    checkMap(outcome, value, schema, place);
  }
}

const noTypes: readonly string[] = [];
const intOrString: readonly string[] = ["integer", "string"];
const oneType: Readonly<Record<string, readonly string[]>> = {
  object: ["object"],
  array: ["array"],
  string: ["string"],
  integer: ["integer"],
  number: ["number"],
  boolean: ["boolean"],
};

function typesOf(schema: Schema, { asDefault }: Place): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true && !asDefault) return intOrString;
  const { type = "" } = schema;
  return type === "" ? noTypes : (oneType[type] ?? [type]);
}

/** Returns the format to check; empty for an unknown one. */
function formatOf(schema: Schema, { asDefault }: Place): string {
  const { format = "" } = schema;
  if (asDefault || format === "") return format;
  const type = schema["x-kubernetes-int-or-string"] === true ? "" : (schema.type ?? "");
  const known =
    type === "integer"
      ? format === "int32" || format === "int64"
      : type === "number"
        ? format === "float" || format === "double"
        : (type === "" || type === "string") && isKnownFormat(format);
  return known ? format : "";
}

function wrongType(path: string, expected: string, shown: string): FieldError {
  return {
    type: "FieldValueTypeInvalid",
    field: path,
    value: shown,
    detail: `${path} in body must be of type ${expected}: ${goQuote(shown)}`,
  };
}

function checkType(
  outcome: Outcome,
  value: unknown,
  { types, format, path }: { readonly types: readonly string[]; readonly format: string; readonly path: string },
): void {
  const within = typeof value === "number" && isWithin64Bits(value);
  const name = Array.isArray(value) ? "array" : within ? "integer" : typeof value;
  const fits =
    types.includes(name) ||
    (name === "integer" && types.includes("number")) ||
    (name === "number" && types.includes("integer") && isWhole(value as number));
  const formatted = typeof value === "string" || Array.isArray(value);
  if (!formatted && format !== "" && !fits) {
    // The type of a number implies a format.
    const own = typeof value !== "number" ? "" : within ? "int64" : "float64";
    if (own !== format) return outcome.add(wrongType(path, format, own));
  }
  if (formatted && format !== "" && !types.includes("number") && !types.includes("integer")) outcome.count += 1;
  else if (fits || (types.length === 0 && format === "")) outcome.count += 1;
  else outcome.add(wrongType(path, types.join(","), name));
}

function checkText(outcome: Outcome, value: string, schema: Schema, path: string): void {
  const problem = textProblem(value, schema, path);
  if (problem !== undefined) outcome.add(problem);
}

/** Returns the first problem of a text, the only one that is reported. */
function textProblem(
  value: string,
  { maxLength, minLength, pattern = "" }: Schema,
  path: string,
): FieldError | undefined {
  const length = maxLength === undefined && minLength === undefined ? 0 : countCodePoints(value);
  if (maxLength !== undefined && length > maxLength)
    return {
      type: "FieldValueTooLong",
      field: path,
      detail:
        maxLength < 0 ? "value is too long" : `may not be more than ${maxLength} byte${maxLength === 1 ? "" : "s"}`,
    };
  if (minLength !== undefined && length < minLength)
    return invalid(path, value, `should be at least ${minLength} chars long`);
  return pattern !== "" && !matches(pattern, value) ? invalid(path, value, `should match '${pattern}'`) : undefined;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return count;
}

function matches(pattern: string, value: string): boolean {
  try {
    return compileGoRegExp(pattern).test(value);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function checkEnum(outcome: Outcome, value: unknown, { enum: values }: Schema, path: string): void {
  if (values === undefined || values.length === 0 || values.some((allowed) => isAllowed(value, allowed))) return;
  const shown = values.map((one) => goQuote(typeof one === "string" ? one : JSON.stringify(one)));
  outcome.add({
    type: "FieldValueNotSupported",
    field: path,
    value,
    detail: `supported values: ${shown.join(", ")}`,
  });
}

/** True if a value is in the enum, also after conversion to the type of an entry. Null never is. */
function isAllowed(value: unknown, allowed: unknown): boolean {
  if (value === null || allowed === null) return false;
  if (typeof value === "number" && typeof allowed === "number" && Number.isInteger(allowed))
    return Math.trunc(value) === allowed;
  if (typeof value === "number" && typeof allowed === "string" && Number.isInteger(value))
    return value >= 0 && value <= 0x10ffff && String.fromCodePoint(value) === allowed;
  return equalJson(value, allowed);
}

function checkList(outcome: Outcome, value: readonly unknown[], schema: Schema, place: Place): void {
  const { path, asDefault, correlated } = place;
  const { items, minItems, maxItems } = schema;
  if (items !== undefined)
    for (let at = 0; at < value.length && !outcome.isFull; at++)
      checkPart(outcome, value[at], items, { path: `${path}[${at}]`, asDefault, correlated: correlated?.item(at) });
  if (minItems !== undefined && value.length < minItems)
    outcome.add(invalid(path, value.length, `should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems) outcome.add(tooMany(path, value.length, maxItems));
  if (schema.uniqueItems === true && hasDuplicates(value))
    outcome.add(invalid(path, "", "shouldn't contain duplicates"));
  outcome.count += 1;
}

function hasDuplicates(list: readonly unknown[]): boolean {
  return new Set(list.map((item) => JSON.stringify(sortKeys(item)))).size < list.length;
}

function checkMap(outcome: Outcome, value: JsonObject, schema: Schema, place: Place): void {
  const { path, asDefault, correlated } = place;
  const { properties = {}, additionalProperties, minProperties, maxProperties } = schema;
  const keys = Object.keys(value);
  if (minProperties !== undefined && keys.length < minProperties)
    outcome.add(invalid(path, keys.length, `should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && keys.length > maxProperties)
    outcome.add(tooMany(path, keys.length, maxProperties));
  for (const key of keys) {
    if (outcome.isFull) return;
    const declared = Object.hasOwn(properties, key);
    const part = declared ? properties[key] : additionalProperties;
    if (typeof part === "object") {
      // Kind and version are set by decoding, so a change of these can't be detected.
      const fixed = path === "" && (key === "kind" || key === "apiVersion");
      checkPart(outcome, value[key], part, {
        path: declared && path === "" ? key : `${path}.${key}`,
        asDefault,
        correlated: fixed ? undefined : correlated?.member(key),
      });
    } else if (part === false) outcome.add(invalidField(path, key, `${path}.${key} in body is a forbidden property`));
  }
  for (const key of schema.required ?? []) if (!Object.hasOwn(value, key)) outcome.add(requiredField(`${path}.${key}`));
}

/** Checks `allOf`, `anyOf`, `oneOf` and `not` for the whole value, even if only a part changed. */
function checkAlternatives(outcome: Outcome, value: unknown, schema: Schema, { path, asDefault }: Place): void {
  outcome.count += 1;
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) return;
  const against = (one: Schema): Outcome => {
    const part = new Outcome();
    check(part, value, one, { path, asDefault, correlated: undefined });
    return part;
  };
  const whole = (text: string): void => {
    outcome.add(invalidField("<nil>", "", `${goQuote(path)} ${text}`));
  };
  if (anyOf.length > 0) {
    const outcomes: Outcome[] = [];
    const valid = anyOf.some((one) => {
      outcomes.push(against(one));
      return outcomes.at(-1)!.errors.size === 0;
    });
    if (!valid) whole("must validate at least one schema (anyOf)");
    outcome.merge(valid ? outcomes.at(-1)! : farthest(outcomes));
  }
  if (oneOf.length > 0) {
    const outcomes = oneOf.map(against);
    const valid = outcomes.filter(({ errors }) => errors.size === 0);
    if (valid.length !== 1)
      whole(
        `must validate one and only one schema (oneOf). ${valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`}`,
      );
    if (valid.length < 2) outcome.merge(valid[0] ?? farthest(outcomes));
  }
  if (allOf.length > 0) {
    const outcomes = allOf.map(against);
    const valid = outcomes.filter(({ errors }) => errors.size === 0).length;
    for (const one of outcomes) outcome.merge(one);
    if (valid !== outcomes.length)
      whole(`must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`);
  }
  if (not !== undefined && against(not).errors.size === 0) whole("must not validate the schema (not)");
}

/** Returns the failed alternative that passed the most checks, whose errors are reported. */
function farthest(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce((best, outcome) => (outcome.count > best.count ? outcome : best));
}

function invalid(path: string, value: unknown, text: string): FieldError {
  return invalidField(path, value, `${path} in body ${text}`);
}

function tooMany(path: string, actual: number, most: number): FieldError {
  return {
    type: "FieldValueTooMany",
    field: path,
    detail: `${actual}: ${most < 0 ? "has too many items" : `must have at most ${most} item${most === 1 ? "" : "s"}`}`,
  };
}
