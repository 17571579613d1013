import { pushAll } from "../../../internal/push-all.js";
import { hasRules, validateRules } from "../../cel/rules.js";
import { type FieldError, fieldErrorBody, invalidField } from "../../errors/field-error.js";
import { cloneJson, equalJson, isJsonObject } from "../../internal/json-value.js";
import { coerceEmbedded, pruneObject } from "../../schema/prune.js";
import type { Schema } from "../../schema/schema.js";
import { validateEmbedded } from "../../schema/validate-embedded.js";
import { validateValue } from "../../schema/validate-value.js";
import type { RawSchema } from "./raw-schema.js";

/**
 * Returns the errors of the defaults in a structural schema: they must be valid and contain nothing that pruning would
 * remove.
 */
export function defaultErrors(schema: RawSchema, field: string): FieldError[] {
  const errors: FieldError[] = [];
  visit(
    schema as Schema,
    { field, resource: schema as Schema, isResource: true, insideMeta: false, around: (value) => value },
    errors,
  );
  return errors;
}

interface Place {
  readonly field: string;
  /** Schema of the enclosing object, embedded or not. */
  readonly resource: Schema;
  /** True if this schema is the object's own. */
  readonly isResource: boolean;
  /** True inside `metadata` or another field that every object has. */
  readonly insideMeta: boolean;
  /** Returns the complete enclosing object for a value of this schema. */
  readonly around: (value: unknown) => unknown;
}

const ownMembers = new Set(["apiVersion", "kind", "metadata"]);

function visit(schema: Schema, place: Place, errors: FieldError[]): void {
  if (schema.default !== undefined)
    pushAll(errors, place.insideMeta ? metaErrors(schema, place) : plainErrors(schema, place));
  const { items } = schema;
  if (items !== undefined)
    visit(
      items,
      inner(place, items, `${place.field}.items`, (item) => [item]),
      errors,
    );
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const below = inner(place, property, `${place.field}.properties[${name}]`, (value) => ({ [name]: value }));
    visit(
      property,
      { ...below, insideMeta: !below.isResource && (place.insideMeta || (place.isResource && ownMembers.has(name))) },
      errors,
    );
  }
}

function inner(place: Place, schema: Schema, field: string, wrap: (value: unknown) => unknown): Place {
  if (schema["x-kubernetes-embedded-resource"] === true)
    return { field, resource: schema, isResource: true, insideMeta: false, around: (value) => value };
  return { ...place, field, isResource: false, around: (value) => place.around(wrap(value)) };
}

/** Returns the errors of a default inside the fields that every object has: the object must remain valid with it. */
function metaErrors(schema: Schema, { field, resource, around }: Place): FieldError[] {
  const place = `${field}.default`;
  const whole = { kind: "Validation", apiVersion: "validation/v1", ...(around(cloneJson(schema.default)) as object) };
  const invalid = (problem: string): FieldError[] => [
    invalidField(place, schema.default, `must result in valid metadata: ${problem}`),
  ];
  const text = (error: FieldError): string => `${error.field}: ${fieldErrorBody(error)}`;
  const coerced = coerceEmbedded(whole, resource, true);
  if (coerced !== undefined) return invalid(text(coerced));
  const problems = [...new Set(validateEmbedded(whole, resource, true).map(text))];
  if (problems.length > 0) return invalid(problems.length === 1 ? problems[0]! : `[${problems.join(", ")}]`);
  return valueErrors(schema, place, false);
}

function plainErrors(schema: Schema, { field, isResource }: Place): FieldError[] {
  const place = `${field}.default`;
  const copy = { value: cloneJson(schema.default) };
  pruneObject(copy, {
    type: "object",
    properties: { value: isResource ? { ...schema, "x-kubernetes-embedded-resource": true } : schema },
  });
  const unknown: FieldError[] = equalJson(copy.value, schema.default)
    ? []
    : [invalidField(place, schema.default, "must not have unknown fields")];
  const coerced = cloneJson(schema.default);
  const problem =
    isJsonObject(coerced) || Array.isArray(coerced) ? coerceEmbedded(coerced, schema, isResource) : undefined;
  if (problem !== undefined) return [...unknown, under(place, problem)];
  const embedded = validateEmbedded(coerced, schema, isResource);
  return [
    ...unknown,
    ...(embedded.length > 0 ? embedded.map((error) => under(place, error)) : valueErrors(schema, place, isResource)),
  ];
}

function under(place: string, error: FieldError): FieldError {
  return {
    ...error,
    field:
      error.field === "" ? place : error.field.startsWith("[") ? `${place}${error.field}` : `${place}.${error.field}`,
  };
}

function valueErrors(schema: Schema, place: string, resource: boolean): FieldError[] {
  const errors = validateValue(schema.default, schema, { asDefault: true });
  if (errors.length > 0)
    return errors.map((error) => ({
      ...error,
      field: error.field === "" || error.field === "<nil>" ? place : `${place}.${error.field}`,
    }));
  if (!hasRules(schema)) return [];
  // Rules must hold both when the default existed before and when it is new.
  const ruled = validateRules(schema.default, schema, { old: schema.default, root: resource });
  return (ruled.length > 0 ? ruled : validateRules(schema.default, schema, { root: resource })).map((error) =>
    under(place, error),
  );
}
