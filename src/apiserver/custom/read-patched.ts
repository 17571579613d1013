import { ApiFailure } from "../errors/status.js";
import { goJsonTypeName } from "../internal/go-json.js";
import { isJsonObject } from "../internal/json-value.js";
import type { ApiObject } from "../objects/api-object.js";
import type { PatchedBody, ReadPatch, ResourceContext, ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { pruneObject } from "../schema/prune.js";
import { ObjectTypeError, parseApiVersion } from "../wire/object-type.js";
import { decodeInTextOrder, decodeProblem } from "../wire/text-order.js";
import { decodeCustom, decodeCustomMetadata } from "./decode-custom.js";

/** Reads the result of a patch as a custom resource, in place. Throws 400 and 422. */
export function readPatched(resource: ServedResource, patched: PatchedBody, context: ResourceContext): ReadPatch {
  const { object, shown, fail } = patched;
  checkCustomKind(object, shown, fail);
  checkMetadata(object, fail);
  try {
    return { unknown: decodePatched(resource, object, shown, context) };
  } catch (error) {
    throw error instanceof ApiFailure ? fail(decodeProblem(error)) : error;
  }
}

function decodePatched(
  resource: ServedResource,
  object: ApiObject,
  shown: () => string,
  context: ResourceContext,
): readonly string[] {
  const { apiVersion = "" } = object;
  const expected = apiVersionOf(resource);
  // A version that the definition does not have has no schema.
  if (apiVersion !== expected && apiVersion.startsWith(`${resource.group}/`)) {
    const other = context.services.resources.find(resource.group, apiVersion.split("/")[1]!, resource.resource);
    return pruneObject(object, other?.schema);
  }
  if (apiVersion === "") return decodeCustomMetadata(resource, object);
  if (apiVersion !== expected) return [];
  return decodeInTextOrder(object, shown, (value) => decodeCustom(resource, value));
}

/** Throws unless the metadata is an object or missing. */
function checkMetadata(object: ApiObject, fail: (why: string) => Error): void {
  const { metadata } = object as Record<string, unknown>;
  if (metadata === undefined || metadata === null || isJsonObject(metadata)) return;
  const type = Array.isArray(metadata) ? "array" : typeof metadata === "boolean" ? "bool" : typeof metadata;
  throw fail(`json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta`);
}

/** Checks the type in the text of a patched custom resource, and normalizes its `apiVersion`. */
function checkCustomKind(object: ApiObject, text: () => string, fail: (why: string) => Error): void {
  const { kind, apiVersion } = object as { kind?: unknown; apiVersion?: unknown };
  for (const [key, value] of [
    ["apiVersion", apiVersion],
    ["kind", kind],
  ] as const) {
    if (value !== undefined && value !== null && typeof value !== "string")
      throw fail(
        `couldn't get version/kind; json parse error: json: cannot unmarshal ${goJsonTypeName(value)} into Go struct field .${key} of type string`,
      );
  }
  let version: ReturnType<typeof parseApiVersion>;
  try {
    version = parseApiVersion((apiVersion ?? "") as string);
  } catch (error) {
    throw error instanceof ObjectTypeError ? fail(error.message) : error;
  }
  if ((kind ?? "") === "") throw fail(`Object 'Kind' is missing in '${text()}'`);
  object.apiVersion = version.version === "" ? "" : apiVersionOf(version);
}
