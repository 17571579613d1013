import type { ApiObject } from "../objects/api-object.js";
import type { Version } from "../storage/bucket.js";
import type { MvccStore } from "../storage/mvcc.js";
import { prefixEnd } from "../storage/sorted-map.js";

interface StoreServices {
  readonly store: MvccStore;
}

const parsed = new WeakMap<Version, ApiObject>();

function parse(version: Version): ApiObject {
  let object = parsed.get(version);
  if (object === undefined) {
    object = JSON.parse(version.json!) as ApiObject;
    parsed.set(version, object);
  }
  return object;
}

/**
 * Returns the stored objects of a resource (`group/resource`), in one namespace or all. They are shared; don't modify
 * them.
 */
export function listStored(services: StoreServices, bucket: string, namespace?: string): ApiObject[] {
  const { store } = services;
  const prefix = namespace === undefined ? "" : `${namespace}/`;
  return store.bucket(bucket).versions(prefix, prefixEnd(prefix), store.revision).map(parse);
}

/** Returns true if a resource has a stored object. */
export function hasStored({ store }: StoreServices, bucket: string): boolean {
  return store.bucket(bucket).live > 0;
}

/** Returns one stored object. It is shared; don't modify it. */
export function getStored(services: StoreServices, bucket: string, key: string): ApiObject | undefined {
  const version = services.store.bucket(bucket).get(key);
  return version === undefined ? undefined : parse(version);
}

/** Returns a value that changes with every write to the resource. */
export function versionOf(services: StoreServices, bucket: string): number {
  return services.store.bucket(bucket).lastRevision;
}
