import { deepEqual } from "../../internal/deep-equal.js";
import {
  below,
  isSchema,
  type JsonSchema,
  type Place,
  refuse,
  requiredIn,
  resolve,
  type StructuralSchema,
  schemasByName,
  schemasIn,
} from "./json-schema.js";

type Convert = (schema: JsonSchema, place: Place) => StructuralSchema;

/** Merges the parts of an intersection (`allOf`) into one schema. */
export function flattenParts(schema: JsonSchema, place: Place): JsonSchema {
  const parts = schemasIn(schema, "allOf");
  if (parts.length === 0) return schema;
  const { allOf: _, ...own } = schema;
  return parts
    .map((part) => flattenParts(resolve(part, place).schema, place))
    .reduce((merged, part) => mergeParts(merged, part, place), own);
}

function mergeParts(a: JsonSchema, b: JsonSchema, place: Place): JsonSchema {
  const merged: Record<string, unknown> = { ...a };
  for (const [keyword, value] of Object.entries(b)) {
    const before = merged[keyword];
    if (before === undefined || keyword === "description" || keyword === "title") merged[keyword] = value;
    else if (keyword === "required") merged[keyword] = [...new Set([...requiredIn(a), ...requiredIn(b)])];
    else if (keyword === "properties") merged[keyword] = mergeProperties(a, b, place);
    else if (!deepEqual(before, value)) return refuse(place, `is an intersection of schemas with different ${keyword}`);
  }
  return merged;
}

function mergeProperties(a: JsonSchema, b: JsonSchema, place: Place): object {
  const merged = new Map(schemasByName(a, "properties"));
  for (const [name, each] of schemasByName(b, "properties")) {
    const before = merged.get(name);
    merged.set(name, before === undefined ? each : mergeParts(before, each, below(place, name)));
  }
  return Object.fromEntries(merged);
}

/**
 * Converts a union (`anyOf`, `oneOf`). Structural schemas have one type per field, so the union of objects has the
 * properties of all, and each alternative becomes a condition. Returns `undefined` for a schema without a union.
 */
export function flattenAlternatives(schema: JsonSchema, place: Place, convert: Convert): StructuralSchema | undefined {
  const keyword = schema["oneOf"] === undefined ? "anyOf" : "oneOf";
  const all = schemasIn(schema, keyword).map((each) => flattenParts(resolve(each, place).schema, place));
  if (all.length === 0) return undefined;
  const given = all.filter(({ type }) => type !== "null");
  const nullable = given.length < all.length ? { nullable: true } : {};
  const [only] = given;
  if (only === undefined) return refuse(place, "can only be null");
  const { anyOf: _any, oneOf: _one, ...rest } = schema;
  if (given.length === 1) return { ...convert(mergeParts(rest, only, place), place), ...nullable };
  const types = new Set(given.map(({ type }) => type));
  if (types.size === 2 && types.has("integer") && types.has("string"))
    return { "x-kubernetes-int-or-string": true, ...nullable };
  if (types.size > 1 || types.has(undefined))
    return refuse(
      place,
      `can be ${[...types].map(String).join(" or ")}, but a structural schema has one type per field`,
    );
  if (!types.has("object")) return { ...unionOfScalars(given, keyword, convert, place), ...nullable };
  return { ...unionOfObjects(given, keyword, convert, place), ...nullable };
}

/** Converts a union of values with the same type: enumerations are joined, other conditions stay alternatives. */
function unionOfScalars(
  given: readonly JsonSchema[],
  ...[keyword, convert, place]: readonly [string, Convert, Place]
): StructuralSchema {
  const converted = given.map((each) => convert(each, place));
  const type = converted[0]!["type"];
  const conditions = converted.map(({ type: _type, ...condition }) => condition);
  if (conditions.some((each) => Object.keys(each).length === 0)) return { type };
  if (conditions.every((each) => Array.isArray(each["enum"]) && Object.keys(each).length === 1))
    return { type, enum: [...new Set(conditions.flatMap((each) => each["enum"] as unknown[]))] };
  if (type === "array") return refuse(place, "can be one of several arrays, which a structural schema can't express");
  return { type, [keyword]: conditions.map(onlyConditions) };
}

/** Keywords that structural schemas don't allow in alternatives. */
const structure = new Set(["type", "title", "description", "default", "nullable", "additionalProperties"]);

function onlyConditions(schema: StructuralSchema): StructuralSchema {
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !structure.has(keyword) && !keyword.startsWith("x-kubernetes-")),
  );
}

function unionOfObjects(
  given: readonly JsonSchema[],
  ...[keyword, convert, place]: readonly [string, Convert, Place]
): StructuralSchema {
  const properties = new Map<string, StructuralSchema>();
  const conditions: StructuralSchema[] = [];
  const extensions: StructuralSchema = {};
  for (const alternative of given) {
    const converted = convert(alternative, place);
    const condition: Record<string, StructuralSchema> = {};
    if (converted["additionalProperties"] !== undefined)
      return refuse(place, "is a union with a record, which a structural schema can't express");
    for (const [name, each] of Object.entries((converted["properties"] ?? {}) as Record<string, StructuralSchema>)) {
      properties.set(name, join(properties.get(name), each, below(place, name)));
      if (Array.isArray(each["enum"])) condition[name] = { enum: each["enum"] };
    }
    if (converted["x-kubernetes-preserve-unknown-fields"] === true)
      extensions["x-kubernetes-preserve-unknown-fields"] = true;
    const { required } = converted;
    conditions.push({
      ...(Array.isArray(required) && { required: required as unknown[] }),
      ...(Object.keys(condition).length > 0 && { properties: condition }),
    });
  }
  const required = given.map((each) => new Set(requiredIn(each)));
  const always = requiredIn(given[0]!).filter((name) => required.every((names) => names.has(name)));
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(always.length > 0 && { required: always }),
    ...extensions,
    [keyword]: conditions,
  };
}

/** Joins the schemas of a property that several alternatives have. */
function join(before: StructuralSchema | undefined, schema: StructuralSchema, place: Place): StructuralSchema {
  if (before === undefined || deepEqual(before, schema)) return schema;
  const { enum: known, ...rest } = before;
  const { enum: added, ...others } = schema;
  if (Array.isArray(known) && Array.isArray(added) && deepEqual(rest, others))
    return { ...rest, enum: [...new Set<unknown>([...(known as unknown[]), ...(added as unknown[])])] };
  if (isSchema(before) && before["type"] === schema["type"] && deepEqual(rest, others)) return rest;
  return refuse(place, "has different types in the alternatives of a union, which a structural schema can't express");
}
