import type { ObjectMeta } from "../../meta/object.js";

/** Returns the metadata of an object, or of the object in a table row. */
export function metadataOf(object: unknown): ObjectMeta | undefined {
  const holder = object as { metadata?: ObjectMeta; object?: { metadata?: ObjectMeta } | null; cells?: unknown };
  if (holder.metadata !== undefined) return holder.metadata;
  return holder.cells === undefined ? undefined : holder.object?.metadata;
}

/**
 * Returns the store key of an object: `namespace/name`, or `name` for cluster-scoped objects. Returns an empty string
 * if the object has no name.
 *
 * @example
 * ```ts
 * import { objectKey, parseObjectKey } from "kubestream/cache";
 *
 * console.log(objectKey({ metadata: { namespace: "web", name: "web-0" } })); // web/web-0
 * const { namespace, name } = parseObjectKey("web/web-0");
 * console.log(namespace, name);
 * ```
 */
export function objectKey(object: unknown): string {
  const metadata = metadataOf(object);
  const name = metadata?.name;
  if (metadata === undefined || name === undefined || name === "") return "";
  const namespace = metadata.namespace;
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

/** Splits a store key into namespace and name. */
export function parseObjectKey(key: string): { readonly namespace: string | undefined; readonly name: string } {
  const slash = key.indexOf("/");
  return slash < 0
    ? { namespace: undefined, name: key }
    : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
