import type { ObjectMeta } from "../../meta/object.js";
import type { Version } from "../storage/mvcc.js";

const known = new WeakMap<Version, ObjectMeta>();

/** Metadata of a stored version, parsed once. */
export function metadataOf(version: Version): ObjectMeta {
  let metadata = known.get(version);
  if (metadata === undefined) {
    ({ metadata } = JSON.parse(version.json!) as { metadata: ObjectMeta });
    known.set(version, metadata);
  }
  return metadata;
}

/** Whether the text of a version can hold a metadata field at all: a cheap look before parsing. */
export function mentions(version: Version | undefined, field: string): boolean {
  return version?.json?.includes(`"${field}"`) === true;
}
