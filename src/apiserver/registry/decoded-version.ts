import { deepFreeze } from "../../codec/freeze.js";
import type { ApiObject } from "../objects/api-object.js";
import { freezeAsJson } from "../objects/freeze-as-json.js";
import { orderedMetadata } from "../objects/metadata.js";
import type { Version } from "../storage/bucket.js";
import { readObject } from "./read.js";
import type { ServedResource } from "./resources.js";
import { apiVersionOf } from "./resources.js";

/** Object of a version. It is kept, or remembered as long as a reader in this process holds it. */
interface Decoded {
  readonly resource: ServedResource;
  kept: ApiObject | undefined;
  remembered: WeakRef<ApiObject> | undefined;
  /** True once a reader in this process has got the object. */
  shared: boolean;
}

/** Number of versions whose objects are kept. Readers in this process want an object right after its write. */
const mostKept = 128;
/** Length of the JSON text above which a written object isn't kept, so that large objects don't fill the memory. */
const longestKept = 32_768;

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
  return objectOf(decoded.get(version));
}

/** Returns a version as a frozen object if it is one of those kept. */
export function keptObject(resource: ServedResource, version: Version): ApiObject | undefined {
  const entry = decoded.get(version);
  return entry?.resource === resource ? objectOf(entry) : undefined;
}

/**
 * Keeps the object that a version was written from, so that readers in this process need not parse it. Its parts are
 * frozen. Does nothing for a large object, and for one that reads differently than it was written.
 */
export function keepWritten(resource: ServedResource, version: Version, object: ApiObject): void {
  if (version.json!.length > longestKept) return;
  if (!resource.protobuf || resource.toStorage !== undefined || resource.fromStorage !== undefined) return;
  const read: ApiObject = { kind: resource.kind, apiVersion: apiVersionOf(resource) };
  read.metadata = orderedMetadata(
    { ...object.metadata, resourceVersion: String(version.revision) },
    resource.sortedMetadata,
  );
  for (const key of Object.keys(object))
    if (key !== "kind" && key !== "apiVersion" && key !== "metadata" && object[key] !== undefined)
      read[key] = object[key];
  if (freezeAsJson(read)) keep(resource, version, read);
}
