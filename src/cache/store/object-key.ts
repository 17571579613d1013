import type { ObjectMeta } from "../../meta/object.js";

/** Metadata of an object, or of the object in a row of a Table. */
export function metadataOf(object: unknown): ObjectMeta | undefined {
  const holder = object as { metadata?: ObjectMeta; object?: { metadata?: ObjectMeta } | null; cells?: unknown };
  if (holder.metadata !== undefined) return holder.metadata;
  return holder.cells === undefined ? undefined : holder.object?.metadata;
}

/**
 * The key under which a store holds an object: `namespace/name`, or `name` for objects of the cluster. An empty text if
 * the object has no name.
 */
export function objectKey(object: unknown): string {
  const metadata = metadataOf(object);
  const name = metadata?.name;
  if (metadata === undefined || name === undefined || name === "") return "";
  const namespace = metadata.namespace;
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

/** Namespace and name of a key. */
export function parseObjectKey(key: string): { readonly namespace: string | undefined; readonly name: string } {
  const slash = key.indexOf("/");
  return slash < 0
    ? { namespace: undefined, name: key }
    : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
