import type { Schema } from "../../schema/schema.js";
import { escapeFieldName } from "../values/data.js";

/** Static type of a value. */
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

/** Type of values that aren't checked statically. */
export const dynType: CelStaticType = { kind: "dyn" };

/** Creates an object type from its name and field types. */
export function objectType(name: string, fields: Readonly<Record<string, CelStaticType>>): CelStaticType {
  return { kind: "object", name, field: (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined) };
}

/** Returns the types within a type. */
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

/** Replaces the types within a type, in the order of `partsOf`. */
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

/** Formats a type for the checker's messages. */
export function shownType(type: CelStaticType): string {
  return shownBy(type, shownNames);
}

/** Returns the full name of a type, for messages about an expression's result. */
export function fullTypeName(type: CelStaticType): string {
  return shownBy(type, runtimeNames);
}

const metadataType = objectType("metadata", { name: { kind: "string" }, generateName: { kind: "string" } });

/**
 * True if expressions can access values of a schema: schemas without a type, and those that contain them, are hidden.
 */
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

/** Derives a type from a schema. `root` objects include the fields that every object has. */
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
    // Reserved words can also be written unescaped.
    if (escaped === `__${key}__`) fields.set(key, type);
  }
  return { kind: "object", name, field: (field) => fields.get(field)?.() };
}
