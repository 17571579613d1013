import type { Kind } from "../../meta/kind.js";
import type { MvccStore } from "../storage/mvcc.js";

/** Waits for the first objects of kinds. */
export interface FirstObjects {
  /** See `ApiServer.whenStored`. */
  when(kinds: readonly Pick<Kind, "group" | "plural">[], callback: () => void): () => void;
  /** Checks all kinds again, after objects appeared without a commit. */
  rescan(): void;
}

/** Creates the waits for the first objects of a store. */
export function createFirstObjects(store: MvccStore): FirstObjects {
  /** Waits by the bucket of the objects. */
  const waits = new Map<string, Set<() => void>>();
  const isStored = (name: string): boolean => store.bucketNames().includes(name) && store.bucket(name).live > 0;
  const notify = (name: string): void => {
    for (const found of waits.get(name) ?? []) found();
  };
  store.onCommit(({ name }, { version }) => {
    if (version.exists && waits.has(name)) notify(name);
  });
  return {
    when(kinds, callback) {
      const buckets = kinds.map(({ group, plural }) => `${group}/${plural}`);
      const end = (): void => {
        for (const name of buckets) {
          const waiting = waits.get(name);
          waiting?.delete(found);
          if (waiting?.size === 0) waits.delete(name);
        }
      };
      const found = (): void => {
        end();
        callback();
      };
      for (const name of buckets) waits.set(name, (waits.get(name) ?? new Set()).add(found));
      if (buckets.some(isStored)) found();
      return end;
    },
    rescan() {
      for (const name of [...waits.keys()]) if (isStored(name)) notify(name);
    },
  };
}
