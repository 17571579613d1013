import { badRequest } from "../errors/status.js";
import { goJsonTypeName } from "../internal/go-json.js";
import { isJsonObject } from "../internal/json-value.js";
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
  /** The beginning of the body, as errors show it. */
  readonly shown: string;
  /** The whole of it, as errors show that. */
  readonly text: () => string;
  /** Whether the encoding itself wants a type. */
  readonly typed: boolean;
  /** Whether unknown fields are of no interest: what a type lacks is then found out by another reader. */
  readonly ignored: boolean;
  /** The schema of the kind in a version, if there is one. */
  schemaOf(version: string): Schema | undefined;
  /** Warns of unknown fields and of keys that came twice, or refuses them: in these words, if there are some, or as those of this version. */
  report(paths: readonly string[], refusal?: string, version?: string): void;
}

/**
 * Compares the type of a custom resource with that of the endpoint: it must be there, and of the right version. What a version of
 * the same group has no place for by its schema is told to `report` first, and what an object without a version has in its metadata;
 * where there is no schema, that is all. Throws 400.
 */
export function checkCustomType(
  object: ApiObject,
  resource: ServedResource,
  { shown, text, typed, ignored, schemaOf, report }: TypeCheck,
): void {
  const kind = (object as Record<string, unknown>)["kind"];
  const given = (object as Record<string, unknown>)["apiVersion"];
  // A version without a group may have a slash before it.
  const apiVersion = typeof given === "string" ? given.replace(/^\/(?=[^/]+$)/, "") : given;
  for (const [key, value] of [
    ["apiVersion", apiVersion],
    ["kind", kind],
  ] as const) {
    if (value === undefined || value === null || typeof value === "string" || typed) continue;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${goJsonTypeName(value)} into Go struct field .${key} of type string (${shown})`,
    );
  }
  if (typeof apiVersion === "string" && apiVersion.split("/").length > 2 && !typed)
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): unexpected GroupVersion string: ${apiVersion} (${shown})`,
    );
  if ((typeof kind !== "string" || kind === "") && ignored && !typed)
    throw badRequest(
      `${resource.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: Object 'Kind' is missing in '${text()}'`,
    );
  if (typeof kind !== "string" || kind === "")
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): Object 'Kind' is missing in '${text()}' (${shown})`,
    );
  if ((apiVersion === undefined || apiVersion === "") && !typed) {
    // Without a version there is no schema, but metadata is the same for all.
    report(
      coerce({ ...resource, version: "" }, object, undefined).root,
      "Object 'apiVersion' is missing in 'object has no apiVersion field'",
    );
    throw badRequest(
      `the API version in the data () does not match the expected API version (${apiVersionOf(resource)})`,
    );
  }
  if (typeof apiVersion !== "string" || apiVersion === "")
    throw badRequest(
      `${resource.kind} in version "" cannot be handled as a ${resource.kind}: Object 'apiVersion' is missing in '${text()}'`,
    );
  const { metadata } = object as Record<string, unknown>;
  if (metadata !== undefined && metadata !== null && !isJsonObject(metadata)) {
    const version = apiVersion.slice(apiVersion.lastIndexOf("/") + 1);
    throw badRequest(
      `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}: json: cannot unmarshal ${goJsonTypeName(metadata)} into Go value of type v1.ObjectMeta`,
    );
  }
  const expected = apiVersionOf(resource);
  if (apiVersion !== expected) {
    const version = apiVersion.slice(apiVersion.lastIndexOf("/") + 1);
    const { root } = coerce({ ...resource, version }, object, undefined);
    report(
      [...root, ...(apiVersion.startsWith(`${resource.group}/`) ? pruneObject(object, schemaOf(version)) : [])],
      undefined,
      version,
    );
  }
  if (apiVersion !== expected)
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
}
