import { badRequest } from "../errors/status.js";
import { isJsonObject, jsonTypeName } from "../internal/json-value.js";
import type { ApiObject } from "../objects/api-object.js";
import type { ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { GoDecodeError } from "../schema/decode-scalars.js";
import { dropPlainNulls } from "../schema/default-values.js";
import { coerceMetadata, pruneObject } from "../schema/prune.js";
import type { Schema } from "../schema/schema.js";

/**
 * Normalizes a custom resource in place: coerces the metadata, and drops unknown fields and nulls without meaning.
 * Returns the paths of the unknown fields. Throws 400 for metadata of the wrong type.
 */
export function decodeCustom(resource: ServedResource, object: ApiObject): string[] {
  const schema = resource.schema;
  const { root, embedded } = coerce(resource, object, schema);
  // The schema only applies to the resource's own kind.
  if (object.kind !== resource.kind) return root;
  const pruned = pruneObject(object, schema);
  dropPlainNulls(object, schema);
  return [...root, ...pruned, ...embedded];
}

/** Same as `decodeCustom` for an object without a version: only its metadata is known. */
export function decodeCustomMetadata(resource: ServedResource, object: ApiObject): string[] {
  return coerce(resource, object, undefined).root;
}

function coerce(
  resource: ServedResource,
  object: ApiObject,
  schema: Schema | undefined,
): { root: string[]; embedded: string[] } {
  try {
    return coerceMetadata(object, schema);
  } catch (error) {
    if (!(error instanceof GoDecodeError)) throw error;
    throw badRequest(
      `${resource.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: ${error.message}`,
    );
  }
}

/** Input for the check of an object's type. */
export interface TypeCheck {
  /** True if the encoding requires a type. */
  readonly typed: boolean;
  /** Returns the schema of the kind in a version, if there is one. */
  schemaOf(version: string): Schema | undefined;
  /** Reports unknown fields and duplicate keys of an object in this version, as warnings or by throwing. */
  report(paths: readonly string[], version: string): void;
}

/**
 * Compares the type of a custom resource with that of the endpoint. Before it fails, it reports fields that are unknown
 * in another version of the group, and unknown metadata of an object without a version. Throws 400.
 */
export function checkCustomType(
  object: ApiObject,
  resource: ServedResource,
  { typed, schemaOf, report }: TypeCheck,
): void {
  const refused = (why: string): Error =>
    badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): ${why}`);
  const { kind, apiVersion: given, metadata } = object as Record<string, unknown>;
  // A version without a group may start with a slash.
  const apiVersion = typeof given === "string" ? given.replace(/^\/(?=[^/]+$)/, "") : (given ?? "");
  if (typeof kind !== "string" || kind === "") throw refused("Object 'Kind' is missing");
  if (typeof apiVersion !== "string" || (apiVersion === "" && typed)) throw refused("Object 'apiVersion' is missing");
  if (apiVersion.split("/").length > 2 && !typed) throw refused(`unexpected GroupVersion string: ${apiVersion}`);
  const expected = apiVersionOf(resource);
  const version = apiVersion.slice(apiVersion.lastIndexOf("/") + 1);
  if (apiVersion !== "" && metadata !== undefined && metadata !== null && !isJsonObject(metadata))
    throw refused(`metadata is of type ${jsonTypeName(metadata)}, not object`);
  if (apiVersion === expected) return;
  // An object without a version is decoded without a schema, but its metadata is the same in all versions.
  const { root } = coerce({ ...resource, version }, object, undefined);
  const pruned = apiVersion.startsWith(`${resource.group}/`) ? pruneObject(object, schemaOf(version)) : [];
  report([...root, ...pruned], version);
  throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${expected})`);
}
