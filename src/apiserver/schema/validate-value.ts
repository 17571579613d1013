import type { FieldError } from "../errors/field-error.js";
import { invalidField, requiredField } from "../errors/field-error.js";
import { goQuote } from "../internal/go-text.js";
import { equalJson, isJsonObject, type JsonObject } from "../internal/json-value.js";
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
  const outcome =
    correlated === undefined
      ? check(value, schema, { path: "", asDefault })
      : ratcheted(correlated, schema, { path: "", asDefault });
  return [...outcome.errors.values()].map((error) => ({ ...error, field: error.field.replace(/^\./, "") }));
}

interface Place {
  readonly path: string;
  readonly asDefault: boolean;
  readonly correlated?: Correlated | undefined;
}

/** Validates a value; errors are ignored if it didn't change. */
function ratcheted(correlated: Correlated, schema: Schema, place: Place): Outcome {
  const outcome = check(correlated.value, schema, { ...place, correlated });
  if (outcome.errors.size > 0 && correlated.equal) outcome.clear();
  return outcome;
}

function checkPart(value: unknown, schema: Schema, correlated: Correlated | undefined, place: Place): Outcome {
  return correlated === undefined ? check(value, schema, place) : ratcheted(correlated, schema, place);
}

function check(value: unknown, schema: Schema, place: Place): Outcome {
  const outcome = new Outcome();
  const { path } = place;
  const format = formatOf(schema, place);
  const types = typesOf(schema, place);
  const typed = types.length > 0 || format !== "";
  if (value === null) {
    outcome.merge(checkNull(types, schema, path));
    outcome.merge(checkEnum(value, schema, path));
    return outcome;
  }
  if (typed) outcome.step(checkType(value, types, format, path));
  outcome.step(checkAlternatives(value, schema, place));
  if (typeof value === "string") {
    outcome.step(checkText(value, schema, path));
    if (isKnownFormat(format))
      outcome.step(hasFormat(value, format) ? new Outcome() : Outcome.of(wrongType(path, format, value)));
  }
  if (typeof value === "number") outcome.step(checkNumber(value, schema, types, path));
  if (Array.isArray(value)) outcome.step(checkList(value, schema, place));
  outcome.step(checkEnum(value, schema, path));
  if (isJsonObject(value)) outcome.step(checkMap(value, schema, place));
  outcome.count += 1;
  return outcome;
}

function typesOf(schema: Schema, { asDefault }: Place): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true && !asDefault) return ["integer", "string"];
  return (schema.type ?? "") === "" ? [] : [schema.type!];
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

/** Returns the type of a value and the format that follows from it. */
function typeName(value: unknown): readonly [type: string, format: string] {
  if (Array.isArray(value)) return ["array", ""];
  if (typeof value === "number") return isWithin64Bits(value) ? ["integer", "int64"] : ["number", "float64"];
  return [typeof value, ""];
}

function checkNull(types: readonly string[], { nullable }: Schema, path: string): Outcome {
  if (types.length > 0 && nullable !== true) return Outcome.of(wrongType(path, types.join(","), "null"));
  const outcome = new Outcome();
  outcome.count = 1;
  return outcome;
}

function checkType(value: unknown, types: readonly string[], format: string, path: string): Outcome {
  const outcome = new Outcome();
  outcome.count = 1;
  const [name, own] = typeName(value);
  const fits =
    types.includes(name) ||
    (name === "integer" && types.includes("number")) ||
    (name === "number" && types.includes("integer") && isWhole(value as number));
  const formatted = typeof value === "string" || Array.isArray(value);
  if (!formatted && format !== "" && !fits && own !== format) return Outcome.of(wrongType(path, format, own));
  if (formatted && format !== "" && !types.includes("number") && !types.includes("integer")) return outcome;
  return fits || (types.length === 0 && format === "") ? outcome : Outcome.of(wrongType(path, types.join(","), name));
}

function checkText(value: string, schema: Schema, path: string): Outcome {
  // Only the first problem is reported.
  const length = [...value].length;
  const { maxLength, minLength, pattern = "" } = schema;
  if (maxLength !== undefined && length > maxLength)
    return Outcome.of({
      type: "FieldValueTooLong",
      field: path,
      detail:
        maxLength < 0 ? "value is too long" : `may not be more than ${maxLength} byte${maxLength === 1 ? "" : "s"}`,
    });
  if (minLength !== undefined && length < minLength)
    return Outcome.of(invalid(path, value, `should be at least ${minLength} chars long`));
  return pattern !== "" && !matches(pattern, value)
    ? Outcome.of(invalid(path, value, `should match '${pattern}'`))
    : new Outcome();
}

function matches(pattern: string, value: string): boolean {
  try {
    return compileGoRegExp(pattern).test(value);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function checkEnum(value: unknown, schema: Schema, path: string): Outcome {
  const { enum: values = [] } = schema;
  if (values.length === 0 || values.some((allowed) => isAllowed(value, allowed))) return new Outcome();
  const shown = values.map((one) => goQuote(typeof one === "string" ? one : JSON.stringify(one)));
  return Outcome.of({
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

function checkList(value: readonly unknown[], schema: Schema, place: Place): Outcome {
  const outcome = new Outcome();
  const { path, asDefault, correlated } = place;
  const { items, minItems, maxItems } = schema;
  if (items !== undefined)
    value.forEach((item, at) =>
      outcome.merge(checkPart(item, items, correlated?.item(at), { path: `${path}[${at}]`, asDefault })),
    );
  if (minItems !== undefined && value.length < minItems)
    outcome.add(invalid(path, value.length, `should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems) outcome.add(tooMany(path, value.length, maxItems));
  if (
    schema.uniqueItems === true &&
    value.some((item, at) => value.slice(0, at).some((other) => equalJson(item, other)))
  )
    outcome.add(invalid(path, "", "shouldn't contain duplicates"));
  outcome.count += 1;
  return outcome;
}

function checkMap(value: JsonObject, schema: Schema, place: Place): Outcome {
  const outcome = new Outcome();
  const { path, asDefault, correlated } = place;
  const { properties = {}, additionalProperties, minProperties, maxProperties } = schema;
  const keys = Object.keys(value);
  if (minProperties !== undefined && keys.length < minProperties)
    outcome.add(invalid(path, keys.length, `should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && keys.length > maxProperties)
    outcome.add(tooMany(path, keys.length, maxProperties));
  // Kind and version are set by decoding, so a change of these can't be detected.
  const before = (key: string): Correlated | undefined =>
    path === "" && (key === "kind" || key === "apiVersion") ? undefined : correlated?.member(key);
  for (const key of keys) {
    if (Object.hasOwn(properties, key))
      outcome.merge(
        checkPart(value[key], properties[key]!, before(key), { path: path === "" ? key : `${path}.${key}`, asDefault }),
      );
    else if (additionalProperties === false)
      outcome.add(invalidField(path, key, `${path}.${key} in body is a forbidden property`));
    else if (typeof additionalProperties === "object")
      outcome.merge(checkPart(value[key], additionalProperties, before(key), { path: `${path}.${key}`, asDefault }));
  }
  for (const key of schema.required ?? []) if (!Object.hasOwn(value, key)) outcome.add(requiredField(`${path}.${key}`));
  return outcome;
}

/** Checks `allOf`, `anyOf`, `oneOf` and `not` for the whole value, even if only a part changed. */
function checkAlternatives(value: unknown, schema: Schema, { path, asDefault }: Place): Outcome {
  const outcome = new Outcome();
  const against = (one: Schema): Outcome => check(value, one, { path, asDefault });
  const whole = (text: string): void => {
    outcome.add(invalidField("<nil>", "", `${goQuote(path)} ${text}`));
  };
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
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
  outcome.count += 1;
  return outcome;
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
