import { badRequest } from "../errors/status.js";
import { isJsonObject, jsonTypeName } from "../internal/json-value.js";
import type { ApiObject } from "../objects/api-object.js";
import type { ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { dropPlainNulls } from "../schema/default-values.js";
import { GoDecodeError } from "../schema/go-decode.js";
import { coerceMetadata, pruneObject } from "../schema/prune.js";
import type { Schema } from "../schema/schema.js";

/**
 * Brings an object of a custom resource into the form in which it is handled, in place: metadata as all objects have it, unknown fields and
 * nulls without meaning taken out. Answers the paths of the unknown fields. Throws 400 for metadata of wrong types.
 */
export function decodeCustom(resource: ServedResource, object: ApiObject): string[] {
  const schema = resource.schema;
  const { root, embedded } = coerce(resource, object, schema);
  // Of another kind there is no schema.
  if (object.kind !== resource.kind) return root;
  const pruned = pruneObject(object, schema);
  dropPlainNulls(object, schema);
  return [...root, ...pruned, ...embedded];
}

/** The same of an object without a version, of which nothing is known but its metadata. */
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

/** What the check of a type has to know of the request. */
export interface TypeCheck {
  /** Whether the encoding itself wants a type. */
  readonly typed: boolean;
  /** The schema of the kind in a version, if there is one. */
  schemaOf(version: string): Schema | undefined;
  /** Warns of unknown fields and of keys that came twice in an object of this version, or refuses them. */
  report(paths: readonly string[], version: string): void;
}

/**
 * Compares the type of a custom resource with that of the endpoint: it must be there, and of the right version. What a version of
 * the same group has no place for by its schema is told to `report` first, and what an object without a version has in its metadata;
 * where there is no schema, that is all. Throws 400.
 */
export function checkCustomType(
  object: ApiObject,
  resource: ServedResource,
  { typed, schemaOf, report }: TypeCheck,
): void {
  const refused = (why: string): Error =>
    badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): ${why}`);
  const { kind, apiVersion: given, metadata } = object as Record<string, unknown>;
  // A version without a group may have a slash before it.
  const apiVersion = typeof given === "string" ? given.replace(/^\/(?=[^/]+$)/, "") : (given ?? "");
  if (typeof kind !== "string" || kind === "") throw refused("Object 'Kind' is missing");
  if (typeof apiVersion !== "string" || (apiVersion === "" && typed)) throw refused("Object 'apiVersion' is missing");
  if (apiVersion.split("/").length > 2 && !typed) throw refused(`unexpected GroupVersion string: ${apiVersion}`);
  const expected = apiVersionOf(resource);
  const version = apiVersion.slice(apiVersion.lastIndexOf("/") + 1);
  if (apiVersion !== "" && metadata !== undefined && metadata !== null && !isJsonObject(metadata))
    throw refused(`metadata is of type ${jsonTypeName(metadata)}, not object`);
  if (apiVersion === expected) return;
  // Without a version there is no schema, but metadata is the same for all.
  const { root } = coerce({ ...resource, version }, object, undefined);
  const pruned = apiVersion.startsWith(`${resource.group}/`) ? pruneObject(object, schemaOf(version)) : [];
  report([...root, ...pruned], version);
  throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${expected})`);
}
