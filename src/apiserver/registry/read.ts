import type { ApiObject } from "./strategy.js";
import { apiVersionOf } from "./resources.js";
import type { ServedResource } from "./resources.js";
import { fieldsOf } from "../handlers/list-options.js";
import type { Version } from "../storage/mvcc.js";

/** What selectors are held against. */
export interface Attributes {
  /** The group and version in which the fields were read. */
  readonly group: string;
  readonly version: string;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

/** Key of an object in its bucket. */
export function keyOf(resource: ServedResource, namespace: string, name: string): string {
  return resource.namespaced ? `${namespace}/${name}` : name;
}

/** The object of a version as the resource serves it: a new one on every call. */
export function readObject(resource: ServedResource, version: Version): ApiObject {
  const object: ApiObject = { kind: resource.kind, apiVersion: apiVersionOf(resource), ...(JSON.parse(version.json!) as ApiObject) };
  resource.fromStorage?.(object);
  return object;
}

/** The object of a version as JSON text, with `kind` and `apiVersion`. */
export function readJson(resource: ServedResource, version: Version): string {
  if (resource.fromStorage !== undefined) return JSON.stringify(readObject(resource, version));
  return `{"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(apiVersionOf(resource))},${version.json!.slice(1)}`;
}

/** Labels and fields of a version. Kept with it, since the same version is asked again and again. */
export function attributesOf(resource: ServedResource, version: Version): Attributes {
  const known = version.memo as Attributes | undefined;
  // Versions of a resource may differ in the fields that can be selected by.
  if (known?.version === resource.version && known.group === resource.group) return known;
  const object = readObject(resource, version);
  const { labels = {}, uid = "", namespace = "" } = object.metadata ?? {};
  const attributes: Attributes = { group: resource.group, version: resource.version, labels, fields: fieldsOf(resource, object), uid, namespace };
  version.memo = attributes;
  return attributes;
}
