import type { ApiObject } from "../objects/api-object.js";
import type { MvccStore, Version } from "../storage/mvcc.js";

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

/** The stored objects of a resource (`group/resource`), in one namespace or all. They are shared and not to be changed. */
export function listStored(services: StoreServices, bucket: string, namespace?: string): ApiObject[] {
  const objects: ApiObject[] = [];
  const { store } = services;
  const from = namespace === undefined ? "" : `${namespace}/`;
  // "0" follows "/" in the order of keys.
  const to = namespace === undefined ? undefined : `${namespace}0`;
  store.bucket(bucket).scan(from, to, store.revision, (version) => {
    objects.push(parse(version));
    return undefined;
  });
  return objects;
}

/** One stored object, shared and not to be changed. */
export function getStored(services: StoreServices, bucket: string, key: string): ApiObject | undefined {
  const version = services.store.bucket(bucket).get(key);
  return version === undefined ? undefined : parse(version);
}

/** Changes whenever an object of the resource does. */
export function versionOf(services: StoreServices, bucket: string): number {
  return services.store.bucket(bucket).lastRevision;
}
