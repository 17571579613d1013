import { type FieldError, fieldErrorBody, invalidField } from "../errors/field-error.js";
import { isJsonObject, sortKeys } from "../internal/json-value.js";
import { GoDecodeError } from "./decode-scalars.js";
import { decodeGoObject } from "./go-decode.js";
import { memberSchema } from "./member-schema.js";
import type { Schema } from "./schema.js";
import { forEachPart, schemaSearch } from "./value-parts.js";

const metaFields = new Set(["apiVersion", "kind", "metadata"]);
const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const mostPaths = 100;

/**
 * Removes fields that the schema doesn't declare from a custom resource, in place. Returns their paths in order. Keeps
 * the fields of every object at the root and in embedded resources.
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
      if (typeof item !== "object" || item === null) return;
      // Below a list that preserves unknown fields, elements without a schema of their own are preserved as well.
      if (!keep || schema?.items !== undefined)
        prune(item, keep ? keeping(schema?.items) : schema?.items, `${path}[${at}]`, unknown);
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

/** An embedded resource with invalid metadata, kind or version. */
export class EmbeddedError extends GoDecodeError {
  readonly error: FieldError;

  constructor(error: FieldError) {
    super(`${error.field}: ${fieldErrorBody(error)}`);
    this.error = error;
  }
}

/**
 * Converts metadata to the form of its Go struct, at the root and in every embedded resource, in place. Returns the
 * paths of unknown fields, those at the root first. Throws a `GoDecodeError` for a wrong type.
 */
export function coerceMetadata(
  object: Record<string, unknown>,
  schema: Schema | undefined,
): { readonly root: string[]; readonly embedded: string[] } {
  const root = coerceOne(object, "");
  const embedded: string[] = [];
  walkEmbedded(object, schema, "", embedded);
  return { root, embedded: embedded.sort() };
}

/**
 * Same as `coerceMetadata`, for a default in a definition; `root` is true for a whole object. Returns the error, if
 * any.
 */
export function coerceEmbedded(value: unknown, schema: Schema, root: boolean): FieldError | undefined {
  try {
    if (root && isJsonObject(value)) coerceResource(value, "");
    walkEmbedded(value, schema, "", []);
    return undefined;
  } catch (error) {
    if (!(error instanceof EmbeddedError)) throw error;
    return error.error;
  }
}

function coerceOne(object: Record<string, unknown>, path: string): string[] {
  const { metadata } = object;
  if (!isJsonObject(metadata)) {
    if (metadata === null) delete object["metadata"];
    if (metadata === undefined || metadata === null) return [];
  }
  const decoded = decodeGoObject(objectMeta, metadata as Record<string, unknown>);
  // An empty list clears the managed fields of built-in kinds only; here it is dropped, as by kube-apiserver.
  if (Array.isArray(decoded.object["managedFields"]) && decoded.object["managedFields"].length === 0)
    delete decoded.object["managedFields"];
  object["metadata"] = decoded.object;
  const prefix = path === "" ? "metadata" : `${path}.metadata`;
  return decoded.unknownFields.map((field) => `${prefix}.${field}`);
}

function coerceResource(value: Record<string, unknown>, path: string): string[] {
  for (const key of ["apiVersion", "kind"])
    if (Object.hasOwn(value, key) && typeof value[key] !== "string")
      throw invalidMember(value, path, key, "must be a string");
  const metadata = value["metadata"] ?? undefined;
  const problem = metadata === undefined ? undefined : metadataProblem(metadata);
  if (problem !== undefined) throw invalidMember(value, path, "metadata", problem);
  return coerceOne(value, path);
}

function invalidMember(value: Record<string, unknown>, path: string, key: string, detail: string): EmbeddedError {
  return new EmbeddedError(invalidField(path === "" ? key : `${path}.${key}`, sortKeys(value[key]), detail));
}

/** Returns the reason why a value isn't valid metadata, or `undefined`. */
export function metadataProblem(metadata: unknown): string | undefined {
  if (!isJsonObject(metadata)) {
    const type = Array.isArray(metadata) ? "array" : typeof metadata === "boolean" ? "bool" : typeof metadata;
    return `json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta`;
  }
  try {
    decodeGoObject(objectMeta, metadata);
    return undefined;
  } catch (error) {
    if (!(error instanceof GoDecodeError)) throw error;
    return error.message;
  }
}

/** True for schemas in which embedded resources have a place. */
export const hasEmbedded: (schema: Schema) => boolean = schemaSearch(
  (schema) => schema["x-kubernetes-embedded-resource"] === true,
);

function walkEmbedded(value: unknown, schema: Schema | undefined, path: string, unknown: string[]): void {
  if (schema === undefined) return;
  forEachPart(value, schema, path, {
    wants: hasEmbedded,
    visit: (part, its, place) => {
      if (its["x-kubernetes-embedded-resource"] === true && isJsonObject(part))
        for (const field of coerceResource(part, place)) unknown.push(field);
      walkEmbedded(part, its, place, unknown);
    },
  });
}
