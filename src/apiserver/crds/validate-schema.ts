import { isJsonObject } from "../../internal/json-value.js";
import { compileGoRegExp } from "../../internal/re2.js";
import { pruneObject } from "../schema/prune.js";
import type { FieldError } from "../schema/field-error.js";
import type { Schema } from "../schema/schema.js";
import { validateStructure } from "../schema/validate-structure.js";
import { validateValue } from "../schema/validate-value.js";
import { validateSchemaRules } from "./validate-rules.js";

const types = ["array", "boolean", "integer", "number", "object", "string"];
const rootFields = new Set(["type", "properties", "required", "description", "title", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations", "example", "externalDocs", "items", "format", "nullable"]);

const required = (field: string, detail: string): FieldError => ({ type: "FieldValueRequired", field, detail });
const forbidden = (field: string, detail: string): FieldError => ({ type: "FieldValueForbidden", field, detail });
const invalid = (field: string, value: unknown, detail: string): FieldError => ({ type: "FieldValueInvalid", field, value, detail });

/** Errors of the schema of a custom resource: it must be structural, and its defaults valid. */
export function validateSchema(schema: Schema, field: string, statusEnabled: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (statusEnabled) {
    if (schema.type !== undefined && schema.type !== "object") errors.push(invalid(`${field}.type`, schema.type, 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'));
    else if (Object.keys(schema).some((key) => !rootFields.has(key))) errors.push(invalid(field, schema, "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Enum Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled"));
  }
  if (schema.nullable === true) errors.push(forbidden(`${field}.nullable`, "nullable cannot be true at the root"));
  const structural: FieldError[] = [];
  checkStructural(schema, field, "root", structural);
  errors.push(...structural);
  if (structural.length === 0) {
    checkDefaults(schema, field, errors);
    errors.push(...validateSchemaRules(schema, field));
  }
  checkKeywords(schema, field, errors, false);
  return errors;
}

type Level = "root" | "item" | "field";

function checkStructural(schema: Schema, field: string, level: Level, errors: FieldError[]): void {
  checkType(schema, field, level, errors);
  if (schema.type === "array" && schema.items === undefined) errors.push(required(`${field}.items`, "must be specified"));
  if (level === "root" && schema.additionalProperties !== undefined && schema.additionalProperties !== false) errors.push(forbidden(`${field}.additionalProperties`, "must not be used at the root"));
  if (schema["x-kubernetes-int-or-string"] === true) {
    if (schema["x-kubernetes-preserve-unknown-fields"] === true) errors.push(invalid(`${field}.x-kubernetes-preserve-unknown-fields`, true, "must be false if x-kubernetes-int-or-string is true"));
    if (schema["x-kubernetes-embedded-resource"] === true) errors.push(invalid(`${field}.x-kubernetes-embedded-resource`, true, "must be false if x-kubernetes-int-or-string is true"));
  }
  if (schema.items !== undefined) checkStructural(schema.items, `${field}.items`, "item", errors);
  for (const [name, property] of Object.entries(schema.properties ?? {})) checkStructural(property, `${field}.properties[${name}]`, "field", errors);
  if (typeof schema.additionalProperties === "object") checkStructural(schema.additionalProperties, `${field}.additionalProperties`, "field", errors);
  const known = intOrStringPatterns(schema);
  eachAlternative(schema, field, (one, place) => {
    if (!known.includes(place.slice(field.length))) checkAlternative(one, place, errors, known.map((each) => `${field}${each}`));
  });
  checkMetadata(schema, field, level, errors);
}

function checkType(schema: Schema, field: string, level: Level, errors: FieldError[]): void {
  const type = schema.type ?? "";
  const open = schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema["x-kubernetes-embedded-resource"] === true && type !== "object") {
    errors.push(type === "" ? required(`${field}.type`, "must be object if x-kubernetes-embedded-resource is true") : invalid(`${field}.type`, type, "must be object if x-kubernetes-embedded-resource is true"));
  } else if (type === "" && !open) {
    errors.push(required(`${field}.type`, level === "root" ? "must not be empty at the root" : level === "item" ? "must not be empty for specified array items" : "must not be empty for specified object fields"));
  } else if (level === "root" && type !== "" && type !== "object") errors.push(invalid(`${field}.type`, type, "must be object at the root"));
  if (schema["x-kubernetes-embedded-resource"] === true) {
    if (schema.additionalProperties !== undefined) errors.push(forbidden(`${field}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"));
    if (schema["x-kubernetes-preserve-unknown-fields"] !== true && Object.keys(schema.properties ?? {}).length === 0) errors.push(required(`${field}.properties`, "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"));
  }
}

function checkMetadata(schema: Schema, field: string, level: Level, errors: FieldError[]): void {
  if (level !== "root" && schema["x-kubernetes-embedded-resource"] !== true) return;
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  if (kind !== undefined && kind.type !== "string") errors.push(invalid(`${field}.properties[kind].type`, kind.type ?? "", "must be string"));
  if (apiVersion !== undefined && apiVersion.type !== "string") errors.push(invalid(`${field}.properties[apiVersion].type`, apiVersion.type ?? "", "must be string"));
  if (metadata === undefined) return;
  if (metadata.type !== "object") errors.push(invalid(`${field}.properties[metadata].type`, metadata.type ?? "", "must be object"));
  const allowed = Object.keys(metadata.properties ?? {}).every((name) => name === "name" || name === "generateName");
  const extra = Object.keys(metadata).some((key) => !["type", "properties", "description", "title"].includes(key));
  if (!allowed || extra) errors.push(forbidden(`${field}.properties[metadata]`, "must not specify anything other than name and generateName, but metadata is implicitly specified"));
}

/** The two forms in which alternatives may tell the types of an integer or a string. */
function intOrStringPatterns(schema: Schema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] !== true) return [];
  const both = (list: readonly Schema[] | undefined): boolean => list?.length === 2 && list[0]!.type === "integer" && list[1]!.type === "string";
  if (both(schema.anyOf)) return [".anyOf[0]", ".anyOf[1]"];
  return both(schema.allOf?.[0]?.anyOf) ? [".allOf[0].anyOf[0]", ".allOf[0].anyOf[1]"] : [];
}

function eachAlternative(schema: Schema, field: string, visit: (schema: Schema, field: string) => void): void {
  for (const key of ["allOf", "anyOf", "oneOf"] as const) schema[key]?.forEach((one, at) => visit(one, `${field}.${key}[${at}]`));
  if (schema.not !== undefined) visit(schema.not, `${field}.not`);
}

/** Inside of alternatives only conditions may stand, nothing that tells what there is. */
function checkAlternative(schema: Schema, field: string, errors: FieldError[], known: readonly string[]): void {
  if (known.includes(field)) return;
  if ((schema.type ?? "") !== "") errors.push(forbidden(`${field}.type`, "must be empty to be structural"));
  if (schema.additionalProperties !== undefined) errors.push(forbidden(`${field}.additionalProperties`, "must be undefined to be structural"));
  if (schema.default !== undefined) errors.push(forbidden(`${field}.default`, "must be undefined to be structural"));
  if ((schema.title ?? "") !== "") errors.push(forbidden(`${field}.title`, "must be empty to be structural"));
  if ((schema.description ?? "") !== "") errors.push(forbidden(`${field}.description`, "must be empty to be structural"));
  if (schema.nullable === true) errors.push(forbidden(`${field}.nullable`, "must be false to be structural"));
  for (const key of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"] as const) if (schema[key] === true) errors.push(forbidden(`${field}.${key}`, "must be false to be structural"));
  for (const key of ["x-kubernetes-list-type", "x-kubernetes-map-type"] as const) if (schema[key] !== undefined) errors.push(forbidden(`${field}.${key}`, "must be undefined to be structural"));
  for (const key of ["x-kubernetes-list-map-keys", "x-kubernetes-validations"] as const) if ((schema[key] ?? []).length > 0) errors.push(forbidden(`${field}.${key}`, "must be empty to be structural"));
  if (schema.properties?.["metadata"] !== undefined) errors.push(forbidden(`${field}.properties[metadata]`, "must not be specified in a nested context"));
  if (schema.items !== undefined) checkAlternative(schema.items, `${field}.items`, errors, known);
  for (const [name, property] of Object.entries(schema.properties ?? {})) checkAlternative(property, `${field}.properties[${name}]`, errors, known);
  eachAlternative(schema, field, (one, place) => checkAlternative(one, place, errors, known));
}

function checkKeywords(schema: Schema, field: string, errors: FieldError[], insideMeta: boolean): void {
  if (schema.type !== undefined && !types.includes(schema.type)) errors.push({ type: "FieldValueNotSupported", field: `${field}.type`, value: schema.type, detail: `supported values: ${types.map((type) => JSON.stringify(type)).join(", ")}` });
  if (schema.uniqueItems === true) errors.push(forbidden(`${field}.uniqueItems`, "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"));
  if (schema.additionalProperties !== undefined && schema.properties !== undefined && Object.keys(schema.properties).length > 0 && schema.additionalProperties !== false) errors.push(forbidden(`${field}.additionalProperties`, "additionalProperties and properties are mutual exclusive"));
  if ((schema["x-kubernetes-preserve-unknown-fields"]) === false) errors.push(invalid(`${field}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  if (schema.pattern !== undefined && schema.pattern !== "") checkPattern(schema.pattern, `${field}.pattern`, errors);
  if (insideMeta && schema["x-kubernetes-embedded-resource"] === true) errors.push(forbidden(`${field}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  checkListType(schema, field, errors);
  const mapType = schema["x-kubernetes-map-type"] as string | undefined;
  if (mapType !== undefined) {
    if (schema.type !== "object") errors.push(schema.type === undefined ? required(`${field}.type`, "must be object if x-kubernetes-map-type is specified") : invalid(`${field}.type`, schema.type, "must be object if x-kubernetes-map-type is specified"));
    if (mapType !== "atomic" && mapType !== "granular") errors.push({ type: "FieldValueNotSupported", field: `${field}.x-kubernetes-map-type`, value: mapType, detail: 'supported values: "atomic", "granular"' });
  }
  if (schema.items !== undefined) checkKeywords(schema.items, `${field}.items`, errors, insideMeta);
  for (const [name, property] of Object.entries(schema.properties ?? {})) checkKeywords(property, `${field}.properties[${name}]`, errors, insideMeta);
  if (typeof schema.additionalProperties === "object") checkKeywords(schema.additionalProperties, `${field}.additionalProperties`, errors, insideMeta);
  eachAlternative(schema, field, (one, place) => {
    if (one.pattern !== undefined && one.pattern !== "") checkPattern(one.pattern, `${place}.pattern`, errors);
  });
}

function checkPattern(pattern: string, field: string, errors: FieldError[]): void {
  try {
    compileGoRegExp(pattern);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    errors.push(invalid(field, pattern, `must be a valid regular expression, but isn't: ${error.message}`));
  }
}

function checkListType(schema: Schema, field: string, errors: FieldError[]): void {
  const listType = schema["x-kubernetes-list-type"] as string | undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (listType === undefined) {
    if (keys.length > 0) errors.push(required(`${field}.x-kubernetes-list-type`, "must be map if x-kubernetes-list-map-keys is non-empty"));
    return;
  }
  if (schema.type !== "array") {
    errors.push(schema.type === undefined ? required(`${field}.type`, "must be array if x-kubernetes-list-type is specified") : invalid(`${field}.type`, schema.type, "must be array if x-kubernetes-list-type is specified"));
  }
  if (!["atomic", "set", "map"].includes(listType)) errors.push({ type: "FieldValueNotSupported", field: `${field}.x-kubernetes-list-type`, value: listType, detail: 'supported values: "atomic", "set", "map"' });
  if (keys.length > 0 && listType !== "map") errors.push(invalid(`${field}.x-kubernetes-list-type`, listType, "must be map if x-kubernetes-list-map-keys is non-empty"));
  if (listType === "map" && keys.length === 0) errors.push(required(`${field}.x-kubernetes-list-map-keys`, "must not be empty if x-kubernetes-list-type is map"));
  if (listType === "set" && schema.items !== undefined) checkSetItems(schema.items, `${field}.items`, errors);
  if (listType === "map" && schema.items !== undefined) checkMapItems(schema.items, keys, `${field}.items`, errors);
  if (listType !== "atomic" && schema.items?.nullable === true) errors.push(forbidden(`${field}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
}

function checkSetItems(items: Schema, field: string, errors: FieldError[]): void {
  if (items.type === "array" && items["x-kubernetes-list-type"] !== "atomic") errors.push(items["x-kubernetes-list-type"] === undefined ? required(`${field}.x-kubernetes-list-type`, "must be atomic as item of a list with x-kubernetes-list-type=set") : invalid(`${field}.x-kubernetes-list-type`, items["x-kubernetes-list-type"], "must be atomic as item of a list with x-kubernetes-list-type=set"));
  if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic") errors.push(items["x-kubernetes-map-type"] === undefined ? required(`${field}.x-kubernetes-map-type`, "must be atomic as item of a list with x-kubernetes-list-type=set") : invalid(`${field}.x-kubernetes-map-type`, items["x-kubernetes-map-type"], "must be atomic as item of a list with x-kubernetes-list-type=set"));
}

function checkMapItems(items: Schema, keys: readonly string[], field: string, errors: FieldError[]): void {
  if (items.type !== "object") errors.push(invalid(`${field}.type`, items.type ?? "", "must be object if parent array's x-kubernetes-list-type is map"));
  if (new Set(keys).size < keys.length) errors.push(invalid(`${field.replace(/\.items$/, "")}.x-kubernetes-list-map-keys`, keys, "must not contain duplicate entries"));
  keys.forEach((key) => {
    const property = items.properties?.[key];
    if (property === undefined) errors.push(invalid(`${field.replace(/\.items$/, "")}.x-kubernetes-list-map-keys`, keys, "entries must all be names of item properties"));
    else {
      if (property.type === "array" || property.type === "object") errors.push(invalid(`${field}.properties[${key}].type`, property.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"));
      if (property.default === undefined && items.required?.includes(key) !== true) errors.push(required(`${field}.properties[${key}].default`, "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"));
      if (property.nullable === true) errors.push(forbidden(`${field}.properties[${key}].nullable`, "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"));
    }
  });
}

/** Defaults must be valid themselves, and hold nothing that would be pruned. */
function checkDefaults(schema: Schema, field: string, errors: FieldError[]): void {
  if (schema.default !== undefined) {
    const place = `${field}.default`;
    const wrapper: Schema = { type: "object", properties: { value: schema } };
    const copy = structuredClone({ value: schema.default });
    for (const path of pruneObject(copy, wrapper)) errors.push(invalid(place, schema.default, `must not have unknown fields: ${path.replace(/^value\.?/, "")}`));
    for (const error of [...validateValue(schema.default, schema), ...validateStructure(schema.default, schema)]) {
      errors.push({ ...error, field: error.field === "" ? place : error.field === "<nil>" ? error.field : `${place}.${error.field}` });
    }
  }
  if (schema.items !== undefined) checkDefaults(schema.items, `${field}.items`, errors);
  for (const [name, property] of Object.entries(schema.properties ?? {})) checkDefaults(property, `${field}.properties[${name}]`, errors);
  if (isJsonObject(schema.additionalProperties)) checkDefaults(schema.additionalProperties, `${field}.additionalProperties`, errors);
}
