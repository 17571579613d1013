/** Function that returns the values under which an index finds an object. Its result must depend only on the object. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** Index of a store: the keys of the objects for each value of an index function. */
export interface StoreIndex<T> {
  /** Returns all values. */
  values(): IterableIterator<string>;
  /** Returns the keys of the objects with a value. */
  keys(value: string): ReadonlySet<string>;
  /** Updates the index after an object was added, changed or deleted. */
  update(key: string, old: T | undefined, next: T | undefined): void;
  /** Returns an empty index with the same function. */
  fresh(): StoreIndex<T>;
}

const nothing: ReadonlySet<string> = new Set();

/** Creates an index. If `valuesOf` throws or returns no array, the error goes to `onError` and the object has no values. */
export function createStoreIndex<T>(
  valuesOf: IndexFunction<T>,
  onError: (error: unknown, key: string) => void,
): StoreIndex<T> {
  const entries = new Map<string, Set<string>>();
  const of = (object: T | undefined, key: string): readonly string[] => {
    if (object === undefined) return [];
    try {
      const values: unknown = valuesOf(object);
      if (Array.isArray(values)) return values as readonly string[];
      if (values instanceof Promise) values.catch(() => undefined);
      throw new TypeError("an index function must return an array of strings");
    } catch (error) {
      onError(error, key);
      return [];
    }
  };
  return {
    values: () => entries.keys(),
    keys: (value) => entries.get(value) ?? nothing,
    update(key, old, next) {
      const before = of(old, key);
      const after = of(next, key);
      if (before.length === after.length && before.every((value, i) => value === after[i])) return;
      for (const value of before) {
        const keys = entries.get(value);
        if (keys?.delete(key) === true && keys.size === 0) entries.delete(value);
      }
      for (const value of after) {
        const keys = entries.get(value);
        if (keys === undefined) entries.set(value, new Set([key]));
        else keys.add(key);
      }
    },
    fresh: () => createStoreIndex(valuesOf, onError),
  };
}
