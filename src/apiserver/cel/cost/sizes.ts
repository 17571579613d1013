import { utf8Encode } from "../../../internal/bytes.js";
import { greatest } from "../../../internal/extremes.js";
import type { Schema } from "../../schema/schema.js";
import { escapeFieldName } from "../values/data.js";

/** Maximum request size in bytes, which bounds lists and maps without a limit of their own. */
const requestBytes = 3 * 1024 * 1024;

/** Returns the maximum number of elements in a list or map of this schema. */
function longestList(schema: Schema | undefined): number {
  if (schema?.type === "array")
    return schema.maxItems ?? Math.floor((requestBytes - 2) / (leastBytes(schema.items) + 1));
  return schema?.maxProperties ?? Math.floor((requestBytes - 2) / (leastBytes(valuesOf(schema)) + 6));
}

/** Returns the maximum number of values of this schema in one object. */
export function mostValues(schema: Schema): number {
  return Math.floor(requestBytes / (leastBytes(schema) + 1));
}

function valuesOf(schema: Schema | undefined): Schema | undefined {
  return typeof schema?.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

const leastText: Readonly<Record<string, number>> = { duration: 3, date: 12, "date-time": 21 };

/** Returns the length in bytes of a value's shortest JSON. */
function leastBytes(schema: Schema | undefined): number {
  if (schema?.["x-kubernetes-int-or-string"] === true) return 1;
  switch (schema?.type) {
    case "string":
      return leastText[schema.format ?? ""] ?? 2;
    case "array":
      return 2;
    case "object": {
      let bytes = 2;
      if (valuesOf(schema) !== undefined) return bytes;
      for (const name of schema.required ?? []) {
        const property = schema.properties?.[name];
        if (property !== undefined && property.default === undefined) bytes += name.length + leastBytes(property) + 4;
      }
      return bytes;
    }
    case "boolean":
      return 4;
    default:
      return 1;
  }
}

const longestTextBytes = requestBytes - 2;
const longestTimes: Readonly<Record<string, number>> = { duration: 32, date: 12, "date-time": 32 };

function longestText(schema: Schema): number {
  const { format = "", maxLength, enum: values } = schema;
  if (Object.hasOwn(longestTimes, format)) return longestTimes[format]!;
  // A character has up to four bytes.
  if (maxLength !== undefined) return Math.max(maxLength, 0) * (format === "byte" ? 1 : 4);
  if (format === "byte" || values === undefined || values.length === 0) return longestTextBytes;
  return greatest(values.map((value) => (typeof value === "string" ? utf8Encode(value).length : 0)));
}

/** Returns the maximum size of a value by its path from the root: field names, `@items`, `@values`, `@keys`. */
export function largestAt(root: Schema, steps: readonly string[], resource: boolean): number | undefined {
  let schema: Schema | undefined = root;
  let known = resource;
  for (const step of steps) {
    if (step === "@keys") return valuesOf(schema) === undefined ? undefined : 0;
    const own: Schema | undefined =
      step === "@items" || step === "@values" ? (schema.items ?? valuesOf(schema)) : fieldOf(schema, step, known);
    if (own === undefined) return undefined;
    schema = own;
    known = schema["x-kubernetes-embedded-resource"] === true;
  }
  if (schema["x-kubernetes-int-or-string"] === true)
    return schema.maxLength === undefined ? longestTextBytes : Math.max(schema.maxLength, 0) * 4;
  if (schema.type === "string") return longestText(schema);
  return schema.type === "array" || valuesOf(schema) !== undefined ? longestList(schema) : 0;
}

const textSchema: Schema = { type: "string" };
const ownFields: Readonly<Record<string, Schema>> = {
  kind: textSchema,
  apiVersion: textSchema,
  metadata: { type: "object", properties: { name: textSchema, generateName: textSchema } },
};

function fieldOf(schema: Schema, name: string, resource: boolean): Schema | undefined {
  if (resource && Object.hasOwn(ownFields, name)) return ownFields[name];
  const key = Object.keys(schema.properties ?? {}).find((each) => each === name || escapeFieldName(each) === name);
  const found = key === undefined ? undefined : schema.properties![key];
  // Rules can't access values without a type.
  return found?.type === undefined && found?.["x-kubernetes-int-or-string"] !== true ? undefined : found;
}
