import type { ObjectMeta } from "../../meta/object.js";
import { knownObject } from "../registry/decoded-version.js";
import type { Version } from "../storage/bucket.js";

const known = new WeakMap<Version, ObjectMeta>();

/** Returns the metadata of a stored version; parsed once. */
export function metadataOf(version: Version): ObjectMeta {
  let metadata = known.get(version);
  if (metadata === undefined) {
    metadata = knownObject(version)?.metadata ?? (JSON.parse(version.json!) as { metadata: ObjectMeta }).metadata;
    known.set(version, metadata);
  }
  return metadata;
}

/** Substrings of versions that are relevant for garbage collection. */
const words = ["ownerReferences", "foregroundDeletion", "orphan"] as const;

type Word = (typeof words)[number];

const none: ReadonlySet<Word> = new Set();
const mentioned = new WeakMap<Version, ReadonlySet<Word>>();

/** True if a version's JSON contains the field or finalizer. Avoids parsing most objects; computed once per version. */
export function mentions(version: Version | undefined, word: Word): boolean {
  if (version?.json === undefined) return false;
  let found = mentioned.get(version);
  if (found === undefined) {
    const { json } = version;
    const present = words.filter((candidate) => json.includes(`"${candidate}"`));
    found = present.length === 0 ? none : new Set(present);
    mentioned.set(version, found);
  }
  return found.has(word);
}
