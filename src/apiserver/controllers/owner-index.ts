import type { OwnerReference } from "../../meta/object.js";
import type { Bucket, LogEntry, Version } from "../storage/bucket.js";
import type { MvccStore } from "../storage/mvcc.js";
import { mentions, metadataOf } from "./metadata-of.js";

/** Location of an object: bucket and key. */
export type Place = string;

export function placeOf(bucket: string, key: string): Place {
  return `${bucket}\n${key}`;
}

export function readPlace(place: Place): { bucket: string; key: string } {
  const end = place.indexOf("\n");
  return { bucket: place.slice(0, end), key: place.slice(end + 1) };
}

/** Index from owners to dependents, by UID. */
export interface OwnerIndex {
  /** Returns the places of the objects that refer to this owner. */
  dependentsOf(uid: string): readonly Place[];
  /** Updates the index with a change. */
  apply(bucket: Bucket, entry: LogEntry): void;
  /** Rebuilds the index from the store. */
  rebuild(): void;
}

/** Returns the owners of a version. */
export function ownersOf(version: Version | undefined): readonly OwnerReference[] {
  return version?.exists === true && mentions(version, "ownerReferences")
    ? (metadataOf(version).ownerReferences ?? [])
    : [];
}

/** Creates an index of a store's owner references. */
export function createOwnerIndex(store: MvccStore): OwnerIndex {
  const dependents = new Map<string, Set<Place>>();

  const add = (place: Place, owners: readonly OwnerReference[]): void => {
    for (const { uid } of owners) {
      const places = dependents.get(uid);
      if (places === undefined) dependents.set(uid, new Set([place]));
      else places.add(place);
    }
  };

  return {
    dependentsOf: (uid) => [...(dependents.get(uid) ?? [])],
    apply(bucket, { version, old }) {
      const before = ownersOf(old);
      const after = ownersOf(version);
      if (before.length === 0 && after.length === 0) return;
      const place = placeOf(bucket.name, version.key);
      for (const { uid } of before) {
        const places = dependents.get(uid);
        if (places?.delete(place) === true && places.size === 0) dependents.delete(uid);
      }
      add(place, after);
    },
    rebuild() {
      dependents.clear();
      for (const name of store.bucketNames()) {
        store.bucket(name).scan("", undefined, store.revision, (version) => {
          add(placeOf(name, version.key), ownersOf(version));
          return undefined;
        });
      }
    },
  };
}
