import type { Schema } from "../../schema/schema.js";
import { escapeFieldName } from "../values/data.js";

/** What is known of a value before an expression runs. */
export type CelStaticType =
  | {
      readonly kind:
        | "dyn"
        | "bool"
        | "int"
        | "uint"
        | "double"
        | "string"
        | "bytes"
        | "null_type"
        | "timestamp"
        | "duration";
    }
  | { readonly kind: "list"; readonly item: CelStaticType }
  | { readonly kind: "map"; readonly key: CelStaticType; readonly value: CelStaticType }
  | { readonly kind: "optional"; readonly item: CelStaticType }
  | { readonly kind: "type"; readonly of?: CelStaticType }
  | { readonly kind: "object"; readonly name: string; readonly field?: (name: string) => CelStaticType | undefined }
  | { readonly kind: "param"; readonly name: string };

/** A type of which nothing is known. */
export const dynType: CelStaticType = { kind: "dyn" };

/** A type by the name of its fields' types. */
export function objectType(name: string, fields: Readonly<Record<string, CelStaticType>>): CelStaticType {
  return { kind: "object", name, field: (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined) };
}

/** The types within a type. */
export function partsOf(type: CelStaticType): readonly CelStaticType[] {
  switch (type.kind) {
    case "list":
    case "optional":
      return [type.item];
    case "map":
      return [type.key, type.value];
    case "type":
      return type.of === undefined ? [] : [type.of];
    default:
      return [];
  }
}

/** The type with other types within it, in the order of `partsOf`. */
export function withParts(type: CelStaticType, parts: readonly CelStaticType[]): CelStaticType {
  switch (type.kind) {
    case "list":
    case "optional":
      return { kind: type.kind, item: parts[0]! };
    case "map":
      return { kind: "map", key: parts[0]!, value: parts[1]! };
    case "type":
      return parts[0] === undefined ? type : { kind: "type", of: parts[0] };
    default:
      return type;
  }
}

const runtimeNames: Readonly<Record<string, string>> = {
  timestamp: "google.protobuf.Timestamp",
  duration: "google.protobuf.Duration",
  optional: "optional_type",
};
const shownNames: Readonly<Record<string, string>> = { null_type: "null", optional: "optional_type" };

function shownBy(type: CelStaticType, names: Readonly<Record<string, string>>): string {
  const name = type.kind === "object" || type.kind === "param" ? type.name : (names[type.kind] ?? type.kind);
  const parts = partsOf(type);
  return parts.length === 0 ? name : `${name}(${parts.map((part) => shownBy(part, names)).join(", ")})`;
}

/** A type as the messages of the checker name it. */
export function shownType(type: CelStaticType): string {
  return shownBy(type, shownNames);
}

/** A type by its full name, as messages on an expression's result have it. */
export function fullTypeName(type: CelStaticType): string {
  return shownBy(type, runtimeNames);
}

const metadataType = objectType("metadata", { name: { kind: "string" }, generateName: { kind: "string" } });

/** Whether expressions know values of a schema: of those without a type, and of what holds them, they know nothing. */
export function isExposed(schema: Schema): boolean {
  if (schema["x-kubernetes-int-or-string"] === true) return true;
  switch (schema.type) {
    case "array":
      return schema.items !== undefined && isExposed(schema.items);
    case "object":
      return typeof schema.additionalProperties !== "object" || isExposed(schema.additionalProperties);
    case "string":
    case "boolean":
    case "number":
    case "integer":
      return true;
    default:
      return false;
  }
}

/** The type that a schema gives its values. `root` objects have the members that every object has. */
export function typeOfSchema(schema: Schema | undefined, root = false, name = "selfType"): CelStaticType {
  if (schema === undefined || schema["x-kubernetes-int-or-string"] === true) return dynType;
  switch (schema.type) {
    case "boolean":
      return { kind: "bool" };
    case "integer":
      return { kind: "int" };
    case "number":
      return { kind: "double" };
    case "string":
      return textType(schema.format);
    case "array":
      return { kind: "list", item: typeOfSchema(schema.items, false, `${name}.@idx`) };
    case "object":
      return schemaObjectType(schema, root, name);
    default:
      return dynType;
  }
}

function textType(format: string | undefined): CelStaticType {
  if (format === "date" || format === "date-time") return { kind: "timestamp" };
  if (format === "duration") return { kind: "duration" };
  return { kind: format === "byte" ? "bytes" : "string" };
}

function schemaObjectType(schema: Schema, root: boolean, name: string): CelStaticType {
  if (typeof schema.additionalProperties === "object")
    return {
      kind: "map",
      key: { kind: "string" },
      value: typeOfSchema(schema.additionalProperties, false, `${name}.@elem`),
    };
  const resource = root || schema["x-kubernetes-embedded-resource"] === true;
  const fields = new Map<string, () => CelStaticType>();
  if (resource) {
    fields.set("apiVersion", () => ({ kind: "string" }));
    fields.set("kind", () => ({ kind: "string" }));
    fields.set("metadata", () => metadataType);
  }
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeFieldName(key);
    if (escaped === undefined || (resource && fields.has(key)) || !isExposed(property)) continue;
    const type = (): CelStaticType => typeOfSchema(property, false, `${name}.${key}`);
    fields.set(escaped, type);
    // Reserved words may also be written as they are.
    if (escaped === `__${key}__`) fields.set(key, type);
  }
  return { kind: "object", name, field: (field) => fields.get(field)?.() };
}
