import { ApiFailure } from "../errors/status.js";
import { isJsonObject, jsonTypeName } from "../internal/json-value.js";
import type { ApiObject } from "../objects/api-object.js";
import type { PatchedBody, ReadPatch, ResourceContext, ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { pruneObject } from "../schema/prune.js";
import { decodeProblem } from "../wire/body.js";
import { checkTypeFields, ObjectTypeError, parseApiVersion } from "../wire/object-type.js";
import { decodeCustom, decodeCustomMetadata } from "./decode-custom.js";

/** Decodes the result of a patch as a custom resource, in place. Throws 400 and 422. */
export function readPatched(
  resource: ServedResource,
  { object, fail, shorten }: PatchedBody,
  context: ResourceContext,
): ReadPatch {
  try {
    checkTypeFields(object);
    checkCustomKind(object);
    const unknown = decodePatched(resource, object, context);
    shorten?.(object);
    return { unknown };
  } catch (error) {
    if (error instanceof ObjectTypeError) throw fail(error.message);
    throw error instanceof ApiFailure ? fail(decodeProblem(error)) : error;
  }
}

function decodePatched(resource: ServedResource, object: ApiObject, context: ResourceContext): readonly string[] {
  const { apiVersion = "" } = object;
  const expected = apiVersionOf(resource);
  // A version that isn't in the definition has no schema.
  if (apiVersion !== expected && apiVersion.startsWith(`${resource.group}/`)) {
    const other = context.services.resources.find(resource.group, apiVersion.split("/")[1]!, resource.resource);
    return pruneObject(object, other?.schema);
  }
  if (apiVersion === "") return decodeCustomMetadata(resource, object);
  return apiVersion === expected ? decodeCustom(resource, object) : [];
}

/** Requires a kind, a valid version and metadata that is an object. Throws an `ObjectTypeError`. */
function checkCustomKind(object: ApiObject): void {
  const { metadata } = object as Record<string, unknown>;
  const version = parseApiVersion(object.apiVersion ?? "");
  if ((object.kind ?? "") === "") throw new ObjectTypeError("Object 'Kind' is missing");
  object.apiVersion = version.version === "" ? "" : apiVersionOf(version);
  if (metadata !== undefined && metadata !== null && !isJsonObject(metadata))
    throw new ObjectTypeError(`metadata is of type ${jsonTypeName(metadata)}, not object`);
}
