import { isJsonObject } from "../../internal/json-value.js";
import { goJsonText } from "../../internal/go-text.js";
import { decodeGoObject, GoDecodeError } from "./go-decode.js";
import type { Schema } from "./schema.js";

const metaFields = new Set(["apiVersion", "kind", "metadata"]);
const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const mostPaths = 100;

/**
 * Takes out of a custom resource what its schema does not know, in place, and answers with the paths of that in order. The members that every
 * object has stay at the root and in embedded resources.
 */
export function pruneObject(object: Record<string, unknown>, schema: Schema | undefined): string[] {
  const unknown: string[] = [];
  prune(object, { ...schema, "x-kubernetes-embedded-resource": true }, "", unknown);
  return unknown.sort();
}

function prune(value: unknown, schema: Schema | undefined, path: string, unknown: string[]): void {
  const keep = schema?.["x-kubernetes-preserve-unknown-fields"] === true;
  if (Array.isArray(value)) {
    const items: unknown[] = value;
    items.forEach((item, at) => {
      // Below a list that keeps everything, elements without a schema of their own are kept as well.
      if (!keep || schema?.items !== undefined) prune(item, keep ? keeping(schema?.items) : schema?.items, `${path}[${at}]`, unknown);
    });
    return;
  }
  if (!isJsonObject(value)) return;
  for (const key of Object.keys(value)) {
    if (schema?.["x-kubernetes-embedded-resource"] === true && metaFields.has(key)) continue;
    const memberPath = path === "" ? key : `${path}.${key}`;
    const property = memberSchema(schema, key);
    if (property !== undefined) prune(value[key], property === true ? undefined : property, memberPath, unknown);
    else if (!keep) {
      if ((!metaFields.has(key) || path !== "") && unknown.length < mostPaths) unknown.push(memberPath);
      Reflect.deleteProperty(value, key);
    }
  }
}

function keeping(schema: Schema | undefined): Schema | undefined {
  return schema === undefined ? undefined : { ...schema, "x-kubernetes-preserve-unknown-fields": true };
}

/** Schema of a member; `true` where anything goes; undefined where the schema has none. */
export function memberSchema(schema: Schema | undefined, key: string): Schema | true | undefined {
  if (schema?.properties !== undefined && Object.hasOwn(schema.properties, key)) return schema.properties[key];
  const additional = schema?.additionalProperties;
  return additional === false ? undefined : additional;
}

/**
 * Brings metadata into the form of its Go struct, at the root and in every embedded resource, in place. Answers with the paths of unknown fields,
 * those at the root first. Throws a `GoDecodeError` for a wrong type.
 */
export function coerceMetadata(object: Record<string, unknown>, schema: Schema | undefined): { readonly root: string[]; readonly embedded: string[] } {
  const root = coerceOne(object, "");
  const embedded: string[] = [];
  walkEmbedded(object, schema, "", embedded);
  return { root, embedded };
}

function coerceOne(object: Record<string, unknown>, path: string): string[] {
  const { metadata } = object;
  if (!isJsonObject(metadata)) {
    if (metadata === null) delete object["metadata"];
    if (metadata === undefined || metadata === null) return [];
  }
  const decoded = decodeMetadata(metadata, path);
  // An empty list clears the managed fields of built-in kinds only: here it is lost on the way, as on a real server.
  if (Array.isArray(decoded.object["managedFields"]) && decoded.object["managedFields"].length === 0) delete decoded.object["managedFields"];
  object["metadata"] = decoded.object;
  const prefix = path === "" ? "metadata" : `${path}.metadata`;
  return decoded.unknownFields.map((field) => `${prefix}.${field}`);
}

function decodeMetadata(metadata: unknown, path: string): ReturnType<typeof decodeGoObject> {
  if (path === "") return decodeGoObject(objectMeta, metadata as Record<string, unknown>);
  try {
    if (isJsonObject(metadata)) return decodeGoObject(objectMeta, metadata);
  } catch (error) {
    if (error instanceof GoDecodeError) throw new GoDecodeError(`${path}.metadata: Invalid value: ${goJsonText(metadata)}: ${error.message}`, { cause: error });
    throw error;
  }
  const type = Array.isArray(metadata) ? "array" : typeof metadata === "boolean" ? "bool" : typeof metadata;
  throw new GoDecodeError(`${path}.metadata: Invalid value: ${goJsonText(metadata)}: json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta`);
}

function coerceEmbedded(value: Record<string, unknown>, path: string): string[] {
  for (const key of ["apiVersion", "kind"]) if (Object.hasOwn(value, key) && typeof value[key] !== "string") throw new GoDecodeError(`${path}.${key}: Invalid value: ${goJsonText(value[key])}: must be a string`);
  return coerceOne(value, path);
}

function walkEmbedded(value: unknown, schema: Schema | undefined, path: string, unknown: string[]): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    value.forEach((item, at) => walkEmbedded(item, schema.items, `${path}[${at}]`, unknown));
    return;
  }
  if (!isJsonObject(value)) return;
  if (path !== "" && schema["x-kubernetes-embedded-resource"] === true) unknown.push(...coerceEmbedded(value, path));
  for (const key of Object.keys(value)) {
    const property = memberSchema(schema, key);
    if (property !== undefined && property !== true) walkEmbedded(value[key], property, path === "" ? key : `${path}.${key}`, unknown);
  }
}
