import type { OwnerReference } from "../../meta/object.js";
import type { Bucket, LogEntry, MvccStore, Version } from "../storage/mvcc.js";
import { mentions, metadataOf } from "./metadata-of.js";

/** Where an object is stored: bucket and key, as one text. */
export type Place = string;

/** Puts a place together. */
export function placeOf(bucket: string, key: string): Place {
  return `${bucket}\n${key}`;
}

/** Takes a place apart. */
export function readPlace(place: Place): { bucket: string; key: string } {
  const end = place.indexOf("\n");
  return { bucket: place.slice(0, end), key: place.slice(end + 1) };
}

/** Knows who depends on whom, by UID. */
export interface OwnerIndex {
  /** Places of the objects that name this owner. */
  dependentsOf(uid: string): readonly Place[];
  /** Takes a change in. */
  apply(bucket: Bucket, entry: LogEntry): void;
  /** Forgets all and reads the store anew. */
  rebuild(): void;
}

/** Owners that a version names. */
export function ownersOf(version: Version | undefined): readonly OwnerReference[] {
  return version?.json !== undefined && mentions(version, "ownerReferences")
    ? (metadataOf(version).ownerReferences ?? [])
    : [];
}

/** Makes an index of a store's owner references. */
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
