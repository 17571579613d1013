import { deepFreeze } from "../../codec/freeze.js";
import type { ApiObject } from "../objects/api-object.js";
import type { Version } from "../storage/bucket.js";
import { readObject } from "./read.js";
import type { ServedResource } from "./resources.js";
import { asRead, largestKept, storedObject, writtenAs } from "./written-object.js";

/** Object of a version. It is kept, or remembered as long as a reader in this process holds it. */
interface Decoded {
  readonly resource: ServedResource;
  kept: ApiObject | undefined;
  remembered: WeakRef<ApiObject> | undefined;
  /** True once a reader in this process has got the object. */
  shared: boolean;
}

/** Number of versions whose objects are kept. Readers in this process want an object right after its write. */
const mostKept = 512;

const decoded = new WeakMap<Version, Decoded>();
const recent: Decoded[] = [];
let nextPlace = 0;

function keep(resource: ServedResource, version: Version, object: ApiObject): Decoded {
  const entry: Decoded = { resource, kept: object, remembered: undefined, shared: false };
  const oldest = recent[nextPlace];
  if (oldest !== undefined) {
    if (oldest.shared) oldest.remembered = new WeakRef(oldest.kept!);
    oldest.kept = undefined;
  }
  recent[nextPlace] = entry;
  nextPlace = (nextPlace + 1) % mostKept;
  decoded.set(version, entry);
  return entry;
}

function objectOf(entry: Decoded | undefined): ApiObject | undefined {
  return entry?.kept ?? entry?.remembered?.deref();
}

/** Returns a version as a frozen object, which all readers in this process share. */
export function decodedVersion(resource: ServedResource, version: Version): ApiObject {
  const stored = storedObject(resource, version);
  if (stored !== undefined) return stored;
  let entry = decoded.get(version);
  let object = entry?.resource === resource ? objectOf(entry) : undefined;
  if (object === undefined) {
    object = deepFreeze(readObject(resource, version));
    entry = keep(resource, version, object);
  }
  entry!.shared = true;
  return object;
}

/** Returns a version as a frozen object in any API version of its kind, if it is one of those kept. */
export function knownObject(version: Version): ApiObject | undefined {
  return writtenAs(version)?.object ?? objectOf(decoded.get(version));
}

/** Returns a version as a frozen object if it is one of those kept. */
export function keptObject(resource: ServedResource, version: Version): ApiObject | undefined {
  const stored = storedObject(resource, version);
  if (stored !== undefined) return stored;
  const entry = decoded.get(version);
  return entry?.resource === resource ? objectOf(entry) : undefined;
}

/**
 * Keeps the object that a version was written from, so that readers in this process need not parse it. Its parts are
 * frozen. Does nothing for events, which are rarely read, for a large object, for one that reads differently than it was
 * written, and for one that is stored without its text.
 */
export function keepWritten(resource: ServedResource, version: Version, object: ApiObject): void {
  if (resource.uncached || version.unprinted !== undefined || version.json!.length > largestKept) return;
  const read = asRead(resource, object, version.revision);
  if (read !== undefined) keep(resource, version, read);
}
