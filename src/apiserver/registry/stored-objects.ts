import type { Core } from "../core.js";
import type { ApiObject } from "../objects/api-object.js";
import type { Version } from "../storage/mvcc.js";

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
export function listStored(core: Core, bucket: string, namespace?: string): ApiObject[] {
  const objects: ApiObject[] = [];
  const { store } = core;
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
export function getStored(core: Core, bucket: string, key: string): ApiObject | undefined {
  const version = core.store.bucket(bucket).get(key);
  return version === undefined ? undefined : parse(version);
}

/** Changes whenever an object of the resource does. */
export function versionOf(core: Core, bucket: string): number {
  return core.store.bucket(bucket).lastRevision;
}
