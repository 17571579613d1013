import type { FieldError } from "../../errors/field-error.js";
import { equalJson } from "../../internal/json-value.js";
import { compileGoRegExp } from "../../internal/re2.js";
import { forbidden, invalid, required } from "../shared/field-errors.js";
import type { RawSchema } from "./raw-schema.js";

type Level = "root" | "item" | "field";

/** Returns the schema of all items. A list of schemas isn't supported and returns `undefined`. */
export function itemsOf(schema: RawSchema): RawSchema | undefined {
  return Array.isArray(schema.items) ? undefined : schema.items;
}

/** Returns the schema of the values of a map. */
export function valuesOf(schema: RawSchema): RawSchema | undefined {
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

/** Returns the schema of a property. */
export function propertyOf({ properties }: RawSchema, name: string): RawSchema | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Returns the schemas in `allOf`, `anyOf`, `oneOf` and `not`, with their paths. */
export function alternativesOf(schema: RawSchema): (readonly [path: string, schema: RawSchema])[] {
  const found: (readonly [string, RawSchema])[] = [];
  for (const key of ["allOf", "anyOf", "oneOf"] as const)
    schema[key]?.forEach((one, at) => found.push([`${key}[${at}]`, one]));
  return schema.not === undefined ? found : [...found, ["not", schema.not]];
}

/** Returns the reason why a schema has no structural form, or `undefined`. */
export function unsupportedIn(schema: RawSchema): string | undefined {
  const unsupported = (name: string): string => `OpenAPIV3Schema '${name}' is not supported`;
  if ((schema.id ?? "") !== "") return unsupported("id");
  if ((schema.$schema ?? "") !== "") return unsupported("schema");
  if ((schema.$ref ?? "") !== "") return unsupported("$ref");
  if (Object.keys(schema.patternProperties ?? {}).length > 0) return unsupported("patternProperties");
  if (Object.keys(schema.dependencies ?? {}).length > 0) return unsupported("dependencies");
  if (schema.additionalItems !== undefined) return unsupported("additionalItems");
  if (Object.keys(schema.definitions ?? {}).length > 0) return unsupported("definitions");
  if (schema["x-kubernetes-preserve-unknown-fields"] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (Array.isArray(schema.items) && schema.items.length > 0)
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const below of [
    ...alternativesOf(schema).map(([, one]) => one),
    itemsOf(schema),
    ...Object.values(schema.properties ?? {}),
    valuesOf(schema),
  ]) {
    const found = below === undefined ? undefined : unsupportedIn(below);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the errors that make a schema non-structural. */
export function structuralErrors(schema: RawSchema, field: string): FieldError[] {
  const errors: FieldError[] = [];
  checkInvariants(schema, field, "root", errors);
  checkComplete(schema, schema, field, errors);
  return errors;
}

function checkInvariants(schema: RawSchema, field: string, level: Level, errors: FieldError[]): void {
  const items = itemsOf(schema);
  if (schema.type === "array" && items === undefined) errors.push(required(`${field}.items`, "must be specified"));
  if (items !== undefined) checkInvariants(items, `${field}.items`, "item", errors);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    checkInvariants(property, `${field}.properties[${name}]`, "field", errors);
  if (schema.additionalProperties !== undefined && level === "root")
    errors.push(forbidden(`${field}.additionalProperties`, "must not be used at the root"));
  const values = valuesOf(schema);
  if (values !== undefined) checkInvariants(values, `${field}.additionalProperties`, "field", errors);
  if (schema["x-kubernetes-int-or-string"] === true) {
    for (const key of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const)
      if (schema[key] === true)
        errors.push(invalid(`${field}.${key}`, true, "must be false if x-kubernetes-int-or-string is true"));
  }
  const typed = { anyOf: isIntOrString(schema.anyOf), firstOfAllOf: isIntOrString(schema.allOf?.[0]?.anyOf) };
  checkConditions(schema, field, typed, errors);
  checkType(schema, field, level, errors);
  checkOwnMembers(schema, field, level, errors);
}

/** True if alternatives are the permitted form of "integer or string". */
function isIntOrString(alternatives: readonly RawSchema[] | undefined): boolean {
  return equalJson(alternatives ?? null, [{ type: "integer" }, { type: "string" }]);
}

function checkType(schema: RawSchema, field: string, level: Level, errors: FieldError[]): void {
  const type = schema.type ?? "";
  const open = schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema["x-kubernetes-embedded-resource"] === true && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? required(`${field}.type`, detail) : invalid(`${field}.type`, type, detail));
  } else if (type === "" && !open) {
    errors.push(required(`${field}.type`, "must not be empty"));
  }
  if (level === "root" && type !== "" && type !== "object")
    errors.push(invalid(`${field}.type`, type, "must be object at the root"));
}

/** Checks the schemas of `kind`, `apiVersion` and `metadata`, which may specify only a few things. */
function checkOwnMembers(schema: RawSchema, field: string, level: Level, errors: FieldError[]): void {
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const { kind, apiVersion, metadata } = (schema.properties ?? {}) as Record<string, RawSchema | undefined>;
  if (level === "root" || embedded) {
    for (const [name, property, type] of [
      ["kind", kind, "string"],
      ["apiVersion", apiVersion, "string"],
      ["metadata", metadata, "object"],
    ] as const) {
      if (property !== undefined && property.type !== type)
        errors.push(invalid(`${field}.properties[${name}].type`, property.type ?? "", `must be ${type}`));
    }
  }
  if (level === "root" && metadata !== undefined && !isPlainMetadata(metadata))
    errors.push(forbidden(`${field}.properties[metadata]`, "may specify name and generateName only"));
  if (!embedded) return;
  if (schema.additionalProperties !== undefined)
    errors.push(forbidden(`${field}.additionalProperties`, "must not be used in an embedded resource"));
  if (schema["x-kubernetes-preserve-unknown-fields"] !== true && Object.keys(schema.properties ?? {}).length === 0)
    errors.push(required(`${field}.properties`, "must not be empty in an embedded resource that drops unknown fields"));
}

function isPlainMetadata(metadata: RawSchema): boolean {
  return Object.entries(metadata).every(([key, value]) => {
    if (key === "type" || key === "default") return true;
    if (key === "properties")
      return Object.keys(value as object).every((name) => name === "name" || name === "generateName");
    return value === false || value === "";
  });
}

/** Alternatives that can have types: `anyOf`, and the first of `allOf`. */
interface TypedAlternatives {
  readonly anyOf: boolean;
  readonly firstOfAllOf?: boolean | undefined;
}

/** Checks the alternatives and the pattern of a schema. */
function checkConditions(schema: RawSchema, field: string, typed: TypedAlternatives, errors: FieldError[]): void {
  for (const [path, one] of alternativesOf(schema)) {
    if (typed.anyOf && path.startsWith("anyOf")) continue;
    checkCondition(one, `${field}.${path}`, typed.firstOfAllOf === true && path === "allOf[0]", errors);
  }
  if ((schema.pattern ?? "") !== "") checkPattern(schema.pattern!, `${field}.pattern`, errors);
}

function checkPattern(pattern: string, field: string, errors: FieldError[]): void {
  try {
    compileGoRegExp(pattern);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    errors.push(invalid(field, pattern, `must be a valid regular expression, but isn't: ${error.message}`));
  }
}

/** Checks a schema within alternatives, which can restrict values but not describe them. */
function checkCondition(schema: RawSchema, field: string, typed: boolean, errors: FieldError[]): void {
  checkConditions(schema, field, { anyOf: typed }, errors);
  const items = itemsOf(schema);
  if (items !== undefined) checkCondition(items, `${field}.items`, false, errors);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    checkCondition(property, `${field}.properties[${name}]`, false, errors);
  const empty = (key: keyof RawSchema, detail: string): void => void errors.push(forbidden(`${field}.${key}`, detail));
  for (const key of ["type", "title", "description"] as const)
    if ((schema[key] ?? "") !== "") empty(key, "must be empty to be structural");
  for (const key of ["default", "x-kubernetes-list-type", "x-kubernetes-map-type"] as const)
    if (schema[key] !== undefined) empty(key, "must be undefined to be structural");
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false)
    empty("additionalProperties", "must be undefined to be structural");
  for (const key of [
    "nullable",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
  ] as const)
    if (schema[key] === true) empty(key, "must be false to be structural");
  for (const key of ["x-kubernetes-list-map-keys", "x-kubernetes-validations"] as const)
    if ((schema[key] ?? []).length > 0) empty(key, "must be empty to be structural");
  if (schema.properties?.["metadata"] !== undefined)
    errors.push(forbidden(`${field}.properties[metadata]`, "must not be specified in a nested context"));
}

/** Checks that fields in alternatives are also specified outside of them. */
function checkComplete(conditions: RawSchema, schema: RawSchema, place: string, errors: FieldError[]): void {
  for (const [, one] of alternativesOf(conditions)) checkPart(one, schema, place, errors);
}

function checkPart(condition: RawSchema, schema: RawSchema | undefined, place: string, errors: FieldError[]): void {
  if (schema === undefined) {
    errors.push(required(place, "because it is defined in an alternative"));
    return;
  }
  checkComplete(condition, schema, place, errors);
  const items = itemsOf(condition);
  if (items !== undefined) checkPart(items, itemsOf(schema), `${place}.items`, errors);
  for (const [name, property] of Object.entries(condition.properties ?? {}))
    checkPart(property, propertyOf(schema, name), `${place}.properties[${name}]`, errors);
}
