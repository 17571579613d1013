import { badRequest, notFound } from "../errors/status.js";
import { goQuote } from "../internal/go-text.js";
import type { ApiObject } from "../objects/api-object.js";
import type { Version } from "../storage/bucket.js";
import { fieldsOf } from "./list-options.js";
import type { ServedResource } from "./resources.js";
import { apiVersionOf, groupResourceOf } from "./resources.js";
import type { RegistryContext } from "./services.js";
import { storedObject } from "./written-object.js";

/** Labels and fields that selectors match against. */
export interface Attributes {
  /** Resource, in its version and definition at the time, that the fields were read for. */
  readonly resource: ServedResource;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

/** Returns the key of an object in its bucket. */
export function keyOf(resource: ServedResource, namespace: string, name: string): string {
  return resource.namespaced ? `${namespace}/${name}` : name;
}

/** Returns the key of the object that a path names. Throws 400 for an invalid name. */
export function requestedKey(resource: ServedResource, namespace: string, name: string): string {
  if (resource.namespaced && namespace === "") throw badRequest("Namespace parameter required.");
  const wrong =
    name === "." || name === ".." ? `may not be '${name}'` : name.includes("%") ? "may not contain '%'" : undefined;
  if (wrong !== undefined) throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${wrong}`);
  return keyOf(resource, namespace, name);
}

/**
 * Returns a version as a new object in the resource's API version. Objects that need a webhook conversion must be
 * prepared first.
 */
export function readObject(resource: ServedResource, version: Version): ApiObject {
  const converted = resource.converter?.text(version);
  const object: ApiObject = {
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    ...(JSON.parse(converted ?? version.json!) as ApiObject),
  };
  if (converted === undefined) resource.fromStorage?.(object, version.storedAs);
  return object;
}

/**
 * Returns a version as JSON text with `kind` and `apiVersion`. Objects that need a webhook conversion must be prepared
 * first.
 */
export function readJson(resource: ServedResource, version: Version): string {
  const converted = resource.converter?.text(version);
  if (converted === undefined && resource.fromStorage !== undefined)
    return JSON.stringify(readObject(resource, version));
  return `{"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(apiVersionOf(resource))},${(converted ?? version.json!).slice(1)}`;
}

/** Returns the labels and fields of a version. Cached on the version, because selectors read it repeatedly. */
export function attributesOf(resource: ServedResource, version: Version): Attributes {
  const known = version.memo as Attributes | undefined;
  // API versions may differ in their selectable fields, and a definition can change.
  if (known?.resource === resource) return known;
  const object = storedObject(resource, version) ?? readObject(resource, version);
  const { labels = {}, uid = "", namespace = "" } = object.metadata ?? {};
  const attributes: Attributes = { resource, labels, fields: fieldsOf(resource, object), uid, namespace };
  version.memo = attributes;
  return attributes;
}

/** Returns the latest version of an object. Throws 404. */
export function getVersion(
  context: RegistryContext,
  resource: ServedResource,
  namespace: string,
  name: string,
): Version {
  const version = context.services.store.bucket(resource.bucket).get(requestedKey(resource, namespace, name));
  if (version === undefined) throw notFound(groupResourceOf(resource), name);
  return version;
}
