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

/**
 * Splits a store key into namespace and name, and the cluster of a key of informers that were merged under names:
 * `cluster/namespace/name` or `cluster//name`.
 */
export function parseObjectKey(key: string): {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly cluster?: string | undefined;
} {
  const [first = "", second, third] = key.split("/", 3);
  if (second === undefined) return { namespace: undefined, name: first };
  if (third === undefined) return { namespace: first, name: second };
  return { cluster: first, namespace: second === "" ? undefined : second, name: third };
}

const keyFunctions = new WeakMap<object, (object: unknown) => string | undefined>();

/** Sets the function that returns the key of an object in a store whose keys aren't those of `objectKey`. */
export function setKeyFunction(store: object, keyOf: (object: unknown) => string | undefined): void {
  keyFunctions.set(store, keyOf);
}

/** Returns the key of an object that a store contains. */
export function keyIn(store: object, object: unknown): string {
  return keyFunctions.get(store)?.(object) ?? objectKey(object);
}
