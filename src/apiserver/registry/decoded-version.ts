import { deepFreeze } from "../../codec/freeze.js";
import type { ApiObject } from "../objects/api-object.js";
import type { Version } from "../storage/bucket.js";
import { readObject } from "./read.js";
import type { ServedResource } from "./resources.js";

interface Decoded {
  readonly resource: ServedResource;
  readonly object: ApiObject;
}

/** Number of versions whose objects are kept. Readers in this process want an object right after its write. */
const mostKept = 128;

const decoded = new WeakMap<Version, Decoded>();
const recent: Version[] = [];
let nextPlace = 0;

/** Returns a version as a frozen object, which all readers in this process share. */
export function decodedVersion(resource: ServedResource, version: Version): ApiObject {
  const known = decoded.get(version);
  if (known?.resource === resource) return known.object;
  const object = deepFreeze(readObject(resource, version));
  if (known === undefined) {
    const oldest = recent[nextPlace];
    if (oldest !== undefined) decoded.delete(oldest);
    recent[nextPlace] = version;
    nextPlace = (nextPlace + 1) % mostKept;
  }
  decoded.set(version, { resource, object });
  return object;
}

/** Returns a version as a frozen object in any API version of its kind, if it is one of those kept. */
export function knownObject(version: Version): ApiObject | undefined {
  return decoded.get(version)?.object;
}
