import { flattenAlternatives, flattenParts } from "./combine-schemas.js";
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
} from "./json-schema.js";

/** Keywords that mean the same in JSON Schema and in structural schemas. */
const copied = [
  "title",
  "description",
  "default",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "multipleOf",
] as const;

/** Formats that the API server checks. Others, and those that it defines differently, are left out. */
const formats = new Set(
  "bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor byte password date date-time int32 int64 float double".split(
    " ",
  ),
);

/**
 * Converts a JSON Schema to a structural schema: references are replaced, `null` becomes `nullable`, closed objects stay
 * open to pruning, unions and intersections of objects become one object with conditions. Throws a `TypeError` that names
 * the field for a schema that can't be expressed.
 */
export function structuralSchema(given: JsonSchema, at: Place): StructuralSchema {
  const resolved = resolve(given, at);
  const { place } = resolved;
  const schema = flattenParts(resolved.schema, place);
  const combined = flattenAlternatives(schema, place, structuralSchema);
  if (combined !== undefined) return { ...annotations(schema), ...combined };
  if (schema["not"] !== undefined) return refuse(place, "is a negation, which a structural schema can't express");
  const { types, nullable } = typesOf(schema, place);
  const [type] = types;
  const common = { ...annotations(schema), ...(nullable && { nullable: true }) };
  if (types.length > 1) {
    if (types.every((each) => each === "string" || each === "integer"))
      return { ...common, "x-kubernetes-int-or-string": true };
    return refuse(place, `can be ${types.join(" or ")}, but a structural schema has one type per field`);
  }
  if (type === undefined) return { ...common, ...values(schema, place), "x-kubernetes-preserve-unknown-fields": true };
  if (type === "object") return { type, ...common, ...objectParts(schema, place) };
  if (type === "array") return { type, ...common, ...arrayParts(schema, place) };
  return {
    type,
    ...common,
    ...values(schema, place),
    ...(type === "string" ? textParts(schema, place) : numbers(schema)),
  };
}

/** Copies annotations, limits and extensions for Kubernetes. */
function annotations(schema: JsonSchema): StructuralSchema {
  const result: StructuralSchema = {};
  for (const keyword of copied) if (schema[keyword] !== undefined) result[keyword] = schema[keyword];
  for (const [keyword, value] of Object.entries(schema))
    if (keyword.startsWith("x-kubernetes-")) result[keyword] = value;
  return result;
}

/** Returns the types of a value without `null`. */
function typesOf(schema: JsonSchema, place: Place): { readonly types: readonly string[]; readonly nullable: boolean } {
  const { type, nullable } = schema;
  const given: unknown[] = Array.isArray(type) ? type : type === undefined ? implied(schema) : [type];
  const types = given.filter((each): each is string => typeof each === "string" && each !== "null");
  if (types.length === 0 && given.length > 0) return refuse(place, "can only be null");
  return { types, nullable: nullable === true || given.includes("null") };
}

/** Types of a schema that doesn't name them. */
function implied(schema: JsonSchema): string[] {
  if (schema["properties"] !== undefined || schema["additionalProperties"] !== undefined) return ["object"];
  if (schema["items"] !== undefined) return ["array"];
  const listed = schema["const"] === undefined ? schema["enum"] : [schema["const"]];
  if (!Array.isArray(listed)) return [];
  const types = listed.map((value: unknown) =>
    value === null
      ? "null"
      : typeof value === "number"
        ? Number.isInteger(value)
          ? "integer"
          : "number"
        : typeof value,
  );
  return [...new Set(types)];
}

/** Returns the values that are allowed. */
function values(schema: JsonSchema, place: Place): StructuralSchema {
  const listed = schema["const"] === undefined ? schema["enum"] : [schema["const"]];
  if (!Array.isArray(listed)) return {};
  if (listed.length === 0) return refuse(place, "allows no value");
  return { enum: listed };
}

function objectParts(schema: JsonSchema, place: Place): StructuralSchema {
  const properties = schemasByName(schema, "properties");
  const { additionalProperties } = schema;
  const required = requiredIn(schema);
  const isOpen = additionalProperties === true || (isSchema(additionalProperties) && isEmpty(additionalProperties));
  if (schema["patternProperties"] !== undefined)
    return refuse(place, "has patternProperties, which a structural schema can't express: use a record");
  if (properties.size === 0 && isSchema(additionalProperties) && !isOpen)
    return {
      additionalProperties: structuralSchema(additionalProperties, below(place, "[]")),
      ...(required.length > 0 && { "x-kubernetes-validations": [...rulesIn(schema), ...keysRequired(required)] }),
      ...keyRules(schema, place),
    };
  if (isSchema(additionalProperties) && !isOpen)
    return refuse(place, "has both properties and a type for other keys, which a structural schema can't express");
  return {
    ...(properties.size > 0 && {
      properties: Object.fromEntries(
        Array.from(properties, ([name, each]) => [name, structuralSchema(each, below(place, name))]),
      ),
    }),
    ...(required.length > 0 && { required }),
    ...((isOpen || (properties.size === 0 && additionalProperties === undefined)) && {
      "x-kubernetes-preserve-unknown-fields": true,
    }),
  };
}

function rulesIn(schema: JsonSchema): readonly unknown[] {
  const rules = schema["x-kubernetes-validations"];
  return Array.isArray(rules) ? rules : [];
}

function keysRequired(required: readonly string[]): object[] {
  return required.map((key) => ({
    rule: `${celText(key)} in self`,
    message: `the key ${JSON.stringify(key)} is required`,
  }));
}

/** Converts conditions for the keys of a record to a rule. */
function keyRules(schema: JsonSchema, place: Place): StructuralSchema {
  const { propertyNames } = schema;
  if (!isSchema(propertyNames)) return {};
  const names = resolve(propertyNames, place).schema;
  const conditions: string[] = [];
  const listed = names["const"] === undefined ? names["enum"] : [names["const"]];
  if (Array.isArray(listed)) conditions.push(`key in [${listed.map((name) => celText(String(name))).join(", ")}]`);
  if (typeof names["pattern"] === "string")
    conditions.push(`key.matches(${celText(checkPattern(names["pattern"], place))})`);
  if (typeof names["minLength"] === "number") conditions.push(`size(key) >= ${names["minLength"]}`);
  if (typeof names["maxLength"] === "number") conditions.push(`size(key) <= ${names["maxLength"]}`);
  if (conditions.length === 0) return {};
  const rule = { rule: `self.all(key, ${conditions.join(" && ")})`, message: "a key is not valid" };
  return { "x-kubernetes-validations": [...rulesIn(schema), ...keysRequired(requiredIn(schema)), rule] };
}

function celText(text: string): string {
  return JSON.stringify(text);
}

function arrayParts(schema: JsonSchema, place: Place): StructuralSchema {
  const { items, uniqueItems } = schema;
  if (schema["prefixItems"] !== undefined || Array.isArray(items))
    return refuse(place, "is a tuple, which a structural schema can't express: use an object");
  const converted = structuralSchema(isSchema(items) ? items : {}, below(place, "[]"));
  if (uniqueItems === true && (converted["type"] === "object" || converted["type"] === "array"))
    return refuse(place, "has unique items that aren't scalars: set x-kubernetes-list-type to map instead");
  return { items: converted, ...(uniqueItems === true && { "x-kubernetes-list-type": "set" }) };
}

function textParts(schema: JsonSchema, place: Place): StructuralSchema {
  const { format, pattern } = schema;
  const known = typeof format === "string" && formats.has(format);
  // Validators add a pattern to their formats that Go can't always read.
  const usable = typeof pattern === "string" && !(known && hasLookaround(pattern));
  return { ...(known && { format }), ...(usable && { pattern: checkPattern(pattern, place) }) };
}

function hasLookaround(pattern: string): boolean {
  return /\(\?<?[=!]/.test(pattern) || /(?:^|[^\\])(?:\\\\)*\\[1-9]/.test(pattern);
}

function checkPattern(pattern: string, place: Place): string {
  if (hasLookaround(pattern))
    return refuse(
      place,
      `has the pattern ${pattern}, whose lookarounds or backreferences the API server can't evaluate`,
    );
  return pattern;
}

/** Converts bounds. Those that only limit a number to safe integers say nothing about the field. */
function numbers(schema: JsonSchema): StructuralSchema {
  const { format } = schema;
  return {
    ...bound(schema, "minimum", "exclusiveMinimum", Math.max, Number.MIN_SAFE_INTEGER),
    ...bound(schema, "maximum", "exclusiveMaximum", Math.min, Number.MAX_SAFE_INTEGER),
    ...(typeof format === "string" && formats.has(format) && { format }),
  };
}

function bound(
  schema: JsonSchema,
  inclusive: "minimum" | "maximum",
  exclusive: "exclusiveMinimum" | "exclusiveMaximum",
  ...[stricter, ignored]: readonly [(a: number, b: number) => number, number]
): StructuralSchema {
  const { [inclusive]: at, [exclusive]: beyond } = schema;
  if (typeof beyond === "number" && (typeof at !== "number" || stricter(at, beyond) === beyond))
    return { [inclusive]: beyond, [exclusive]: true };
  if (typeof at !== "number" || at === ignored) return {};
  return { [inclusive]: at, ...(beyond === true && { [exclusive]: true }) };
}

function isEmpty(schema: JsonSchema): boolean {
  return Object.keys(schema).length === 0;
}
