import type { ObjectMeta } from "../../meta/object.js";
import { knownObject } from "../registry/decoded-version.js";
import type { Version } from "../storage/bucket.js";

/** The metadata that controllers decide by. */
type DecisiveMeta = Pick<
  ObjectMeta,
  "namespace" | "name" | "uid" | "ownerReferences" | "finalizers" | "deletionTimestamp"
>;

const known = new WeakMap<Version, DecisiveMeta>();

/** Returns metadata of a stored version; parsed once. Keeps only a part, because superseded versions keep it, too. */
export function metadataOf(version: Version): DecisiveMeta {
  let metadata = known.get(version);
  if (metadata === undefined) {
    const whole = knownObject(version)?.metadata ?? (JSON.parse(version.json!) as { metadata: ObjectMeta }).metadata;
    const { namespace, name, uid, ownerReferences, finalizers, deletionTimestamp } = whole;
    metadata = { namespace, name, uid, ownerReferences, finalizers, deletionTimestamp };
    known.set(version, metadata);
  }
  return metadata;
}

/** Substrings of versions that are relevant for garbage collection. */
const words = ["ownerReferences", "foregroundDeletion", "orphan"] as const;

type Word = (typeof words)[number];

/** Bits of the words that a version's JSON contains. */
const mentioned = new WeakMap<Version, number>();

/** True if a version's JSON contains the field or finalizer. Avoids parsing most objects; computed once per version. */
export function mentions(version: Version | undefined, word: Word): boolean {
  if (version?.json === undefined) return false;
  let found = mentioned.get(version);
  if (found === undefined) {
    found = 0;
    for (const [bit, candidate] of words.entries()) if (version.json.includes(`"${candidate}"`)) found |= 1 << bit;
    mentioned.set(version, found);
  }
  return (found & (1 << words.indexOf(word))) !== 0;
}
