import type { IndexFunction, StoreIndex } from "./store-index.js";
import { createStoreIndex } from "./store-index.js";
import type { IndexLookup } from "./store-query.js";

/** The indexes of a store. */
export interface StoreIndexes<R> {
  /** Moves an object from its old values to its new ones in all indexes. */
  update(key: string, old: R | undefined, next: R | undefined): void;
  /** Returns an index. Throws a `RangeError` if it was never added. */
  get(name: string): StoreIndex<R>;
  /**
   * Adds an index. Adding the same function again is counted; a different function under the same name throws a
   * `RangeError`.
   */
  add(name: string, valuesOf: IndexFunction<R>): void;
  /** Undoes one `add`; the last one removes the index. */
  remove(name: string): void;
  /** Returns the smallest set of keys among the lookups. Their indexes are created on first use, up to a limit. */
  narrowest(lookups: readonly IndexLookup<R>[]): ReadonlySet<string> | undefined;
  /** Starts building indexes for a list that will replace the objects. */
  prepare(): PreparedIndexes<R>;
}

/** Indexes for a list that isn't visible yet. */
export interface PreparedIndexes<R> {
  /** Adds an object of the list. */
  add(key: string, object: R): void;
  /** Replaces the current indexes. `objects` is the list, used to fill indexes that were added since `prepare`. */
  commit(objects: ReadonlyMap<string, R>): void;
}

/** Limit on indexes created by queries: each costs memory, and time for each change. */
const mostOwnIndexes = 8;
/** Prefix that separates the names of query indexes from the user's. */
export const ownIndexPrefix = "\0";

interface UsedIndex<R> {
  readonly valuesOf: IndexFunction<R>;
  readonly index: StoreIndex<R>;
  /** Number of `add` calls that haven't been undone. */
  readonly users: number;
}

/**
 * Creates an empty set of indexes over the objects that `objects` returns. Errors of index functions go to `onError`.
 */
export function createStoreIndexes<R>(
  objects: () => ReadonlyMap<string, R>,
  onError: (error: unknown, key: string) => void,
): StoreIndexes<R> {
  let indexes = new Map<string, UsedIndex<R>>();
  let ownIndexes = 0;

  const fill = (valuesOf: IndexFunction<R>, from: ReadonlyMap<string, R>): StoreIndex<R> => {
    const index = createStoreIndex(valuesOf, onError);
    for (const [key, object] of from) index.update(key, undefined, object);
    return index;
  };

  const all: StoreIndexes<R> = {
    update(key, old, next) {
      for (const { index } of indexes.values()) index.update(key, old, next);
    },
    get(name) {
      const found = indexes.get(name);
      if (found !== undefined) return found.index;
      const names = [...indexes.keys()].filter((each) => !each.startsWith(ownIndexPrefix)).join(", ");
      throw new RangeError(`unknown index "${name}"; available: ${names || "none"}`);
    },
    add(name, valuesOf) {
      const present = indexes.get(name);
      if (present === undefined) {
        indexes.set(name, { valuesOf, index: fill(valuesOf, objects()), users: 1 });
        return;
      }
      if (present.valuesOf !== valuesOf)
        throw new RangeError(`index "${name}" already exists with a different function`);
      indexes.set(name, { ...present, users: present.users + 1 });
    },
    remove(name) {
      const present = indexes.get(name);
      if (present === undefined) return;
      if (present.users > 1) indexes.set(name, { ...present, users: present.users - 1 });
      else indexes.delete(name);
    },
    narrowest(lookups) {
      let best: ReadonlySet<string> | undefined;
      for (const { name, value, valuesOf } of lookups) {
        const own = ownIndexPrefix + name;
        if (!indexes.has(own)) {
          if (ownIndexes === mostOwnIndexes) continue;
          ownIndexes++;
          all.add(own, valuesOf);
        }
        const keys = all.get(own).keys(value);
        if (best === undefined || keys.size < best.size) best = keys;
      }
      return best;
    },
    prepare() {
      const fresh = new Map(
        [...indexes].map(([name, { valuesOf, index }]) => [name, { valuesOf, index: index.fresh() }] as const),
      );
      const freshIndexes = Array.from(fresh.values(), ({ index }) => index);
      return {
        add(key, object) {
          for (const index of freshIndexes) index.update(key, undefined, object);
        },
        commit(listed) {
          // Indexes may have been added or removed since the preparation began.
          indexes = new Map(
            [...indexes].map(([name, { valuesOf, users }]) => {
              const prepared = fresh.get(name);
              if (prepared?.valuesOf === valuesOf) return [name, { ...prepared, users }];
              return [name, { valuesOf, index: fill(valuesOf, listed), users }];
            }),
          );
        },
      };
    },
  };
  return all;
}
