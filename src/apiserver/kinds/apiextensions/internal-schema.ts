import { isJsonObject, sortKeys } from "../../internal/json-value.js";
import type { CelRule, Schema } from "../../schema/schema.js";

/** A schema as definitions can carry it: with all that the type has, allowed or not. */
export interface RawSchema extends Omit<Schema, "items" | "type"> {
  type?: string;
  items?: RawSchema | RawSchema[];
  id?: string;
  $schema?: string;
  patternProperties?: Record<string, RawSchema>;
  dependencies?: Record<string, RawSchema | string[]>;
  additionalItems?: RawSchema | boolean;
  definitions?: Record<string, RawSchema>;
}

type Shape =
  | "text"
  | "flag"
  | "plain"
  | "schema"
  | "list"
  | "map"
  | "items"
  | "orBool"
  | "dependencies"
  | "docs"
  | "rules";

/** The members of a schema in the server's own form, in its order. */
const members: readonly (readonly [name: string, member: string, shape: Shape])[] = [
  ["ID", "id", "text"],
  ["Schema", "$schema", "text"],
  ["Ref", "$ref", "plain"],
  ["Description", "description", "text"],
  ["Type", "type", "text"],
  ["Nullable", "nullable", "flag"],
  ["Format", "format", "text"],
  ["Title", "title", "text"],
  ["Default", "default", "plain"],
  ["Maximum", "maximum", "plain"],
  ["ExclusiveMaximum", "exclusiveMaximum", "flag"],
  ["Minimum", "minimum", "plain"],
  ["ExclusiveMinimum", "exclusiveMinimum", "flag"],
  ["MaxLength", "maxLength", "plain"],
  ["MinLength", "minLength", "plain"],
  ["Pattern", "pattern", "text"],
  ["MaxItems", "maxItems", "plain"],
  ["MinItems", "minItems", "plain"],
  ["UniqueItems", "uniqueItems", "flag"],
  ["MultipleOf", "multipleOf", "plain"],
  ["Enum", "enum", "plain"],
  ["MaxProperties", "maxProperties", "plain"],
  ["MinProperties", "minProperties", "plain"],
  ["Required", "required", "plain"],
  ["Items", "items", "items"],
  ["AllOf", "allOf", "list"],
  ["OneOf", "oneOf", "list"],
  ["AnyOf", "anyOf", "list"],
  ["Not", "not", "schema"],
  ["Properties", "properties", "map"],
  ["AdditionalProperties", "additionalProperties", "orBool"],
  ["PatternProperties", "patternProperties", "map"],
  ["Dependencies", "dependencies", "dependencies"],
  ["AdditionalItems", "additionalItems", "orBool"],
  ["Definitions", "definitions", "map"],
  ["ExternalDocs", "externalDocs", "docs"],
  ["Example", "example", "plain"],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", "plain"],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", "flag"],
  ["XIntOrString", "x-kubernetes-int-or-string", "flag"],
  ["XListMapKeys", "x-kubernetes-list-map-keys", "plain"],
  ["XListType", "x-kubernetes-list-type", "plain"],
  ["XMapType", "x-kubernetes-map-type", "plain"],
  ["XValidations", "x-kubernetes-validations", "rules"],
];

/** A rule in the server's own form, as errors show it. */
export function internalRule(rule: CelRule): unknown {
  return {
    Rule: rule.rule,
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

/** A schema in the server's own form, as errors show it; null where there is none. */
export function internalSchema(schema: unknown): unknown {
  if (!isJsonObject(schema)) return null;
  return Object.fromEntries(members.map(([name, member, shape]) => [name, shown(schema[member], shape)]));
}

/** Names of the members that a schema has, in the server's own order. */
export function membersOf(schema: RawSchema): string[] {
  return members
    .filter(([, member, shape]) => !isZero((schema as Record<string, unknown>)[member], shape))
    .map(([name]) => name);
}

function isZero(value: unknown, shape: Shape): boolean {
  return value === undefined || (shape === "text" && value === "") || (shape === "flag" && value === false);
}

function shown(value: unknown, shape: Shape): unknown {
  switch (shape) {
    case "text":
      return value ?? "";
    case "flag":
      return value ?? false;
    case "plain":
      return sortKeys(value ?? null);
    case "schema":
      return internalSchema(value);
    case "list":
      return Array.isArray(value) ? value.map(internalSchema) : null;
    case "map":
      return mapped(value, internalSchema);
    case "items":
      return internalItems(value);
    case "orBool":
      return value === undefined ? null : { Allows: value !== false, Schema: internalSchema(value) };
    case "dependencies":
      return mapped(value, (each) => ({ Schema: internalSchema(each), Property: Array.isArray(each) ? each : null }));
    case "docs":
      return isJsonObject(value) ? { Description: value["description"] ?? "", URL: value["url"] ?? "" } : null;
    case "rules":
      return Array.isArray(value) ? (value as CelRule[]).map(internalRule) : null;
  }
}

function mapped(value: unknown, show: (each: unknown) => unknown): unknown {
  if (!isJsonObject(value)) return null;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, show(value[key])]),
  );
}

/** What stands in `items` in the server's own form. */
export function internalItems(value: unknown): unknown {
  if (value === undefined) return null;
  return { Schema: internalSchema(value), JSONSchemas: Array.isArray(value) ? value.map(internalSchema) : null };
}
