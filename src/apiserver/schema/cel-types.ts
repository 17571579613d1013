import { escapeFieldName } from "./cel-data.js";
import type { Schema } from "./schema.js";

/** What is known of a value before an expression runs. */
export type CelStaticType =
  | { readonly kind: "dyn" | "bool" | "int" | "uint" | "double" | "string" | "bytes" | "null_type" | "timestamp" | "duration" | "optional" | "type" | "opaque" }
  | { readonly kind: "list"; readonly item: CelStaticType }
  | { readonly kind: "map"; readonly key: CelStaticType; readonly value: CelStaticType }
  | { readonly kind: "object"; readonly fields: ReadonlyMap<string, () => CelStaticType> };

/** A type of which nothing is known. */
export const dynType: CelStaticType = { kind: "dyn" };

const metadataType: CelStaticType = { kind: "object", fields: new Map([["name", () => ({ kind: "string" })], ["generateName", () => ({ kind: "string" })]]) };

/** The type that a schema gives its values. `root` objects have the members that every object has. */
export function typeOfSchema(schema: Schema | undefined, root = false): CelStaticType {
  if (schema === undefined || schema["x-kubernetes-int-or-string"] === true) return dynType;
  switch (schema.type) {
    case "boolean": return { kind: "bool" };
    case "integer": return { kind: "int" };
    case "number": return { kind: "double" };
    case "string": return textType(schema.format);
    case "array": return { kind: "list", item: typeOfSchema(schema.items) };
    case "object": return objectType(schema, root);
    default: return dynType;
  }
}

function textType(format: string | undefined): CelStaticType {
  if (format === "date" || format === "date-time") return { kind: "timestamp" };
  if (format === "duration") return { kind: "duration" };
  return { kind: format === "byte" ? "bytes" : "string" };
}

function objectType(schema: Schema, root: boolean): CelStaticType {
  if (typeof schema.additionalProperties === "object") return { kind: "map", key: { kind: "string" }, value: typeOfSchema(schema.additionalProperties) };
  if (schema.additionalProperties === true) return { kind: "map", key: { kind: "string" }, value: dynType };
  const resource = root || schema["x-kubernetes-embedded-resource"] === true;
  if (schema.properties === undefined && !resource) return dynType;
  const fields = new Map<string, () => CelStaticType>();
  if (resource) {
    fields.set("apiVersion", () => ({ kind: "string" }));
    fields.set("kind", () => ({ kind: "string" }));
    fields.set("metadata", () => metadataType);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeFieldName(name);
    if (escaped === undefined || (resource && fields.has(name))) continue;
    fields.set(escaped, () => typeOfSchema(property));
    // Reserved words may also be written as they are.
    if (escaped === `__${name}__`) fields.set(name, () => typeOfSchema(property));
  }
  return { kind: "object", fields };
}
