import type { ObjectMeta } from "../../meta/object.js";
import { knownObject } from "../registry/decoded-version.js";
import { writtenAs } from "../registry/written-object.js";
import type { Version } from "../storage/bucket.js";

/** The metadata that controllers decide by. */
type DecisiveMeta = Pick<
  ObjectMeta,
  "namespace" | "name" | "uid" | "ownerReferences" | "finalizers" | "deletionTimestamp"
>;

const known = new WeakMap<Version, DecisiveMeta>();

/** Returns metadata of a stored version; parsed once. Keeps only a part, because superseded versions keep it, too. */
export function metadataOf(version: Version): DecisiveMeta {
  const written = writtenAs(version);
  if (written !== undefined) return written.object.metadata!;
  let metadata = known.get(version);
  if (metadata === undefined) {
    const whole = knownObject(version)?.metadata ?? (JSON.parse(version.json!) as { metadata: ObjectMeta }).metadata;
    const { namespace, name, uid, ownerReferences, finalizers, deletionTimestamp } = whole;
    metadata = { namespace, name, uid, ownerReferences, finalizers, deletionTimestamp };
    known.set(version, metadata);
  }
  return metadata;
}

/** The field and the finalizers that garbage collection looks for. */
const words = ["ownerReferences", "foregroundDeletion", "orphan"] as const;

type Word = (typeof words)[number];

/** Bits of the words that a version mentions. */
const mentioned = new WeakMap<Version, number>();

/**
 * True if a version has the field or the finalizer. May be true for others that contain the word, because most objects
 * aren't parsed for it. Computed once per version.
 */
export function mentions(version: Version | undefined, word: Word): boolean {
  if (version?.exists !== true) return false;
  let found = mentioned.get(version);
  if (found === undefined) {
    const metadata = knownObject(version)?.metadata;
    found = metadata === undefined ? wordsInText(version.json!) : wordsOf(metadata);
    mentioned.set(version, found);
  }
  return (found & (1 << words.indexOf(word))) !== 0;
}

function wordsOf({ ownerReferences, finalizers }: ObjectMeta): number {
  let found = ownerReferences === undefined ? 0 : 1;
  if (finalizers?.includes(words[1]) === true) found |= 2;
  if (finalizers?.includes(words[2]) === true) found |= 4;
  return found;
}

function wordsInText(json: string): number {
  let found = 0;
  for (let bit = 0; bit < words.length; bit += 1) if (json.includes(`"${words[bit]!}"`)) found |= 1 << bit;
  return found;
}
