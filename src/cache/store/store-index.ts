/** Gives the values under which an object is found in an index. It must depend on the object alone. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** Keys of objects by the values of one index function. */
export interface StoreIndex<T> {
  /** The values there are. */
  values(): IterableIterator<string>;
  /** Keys of the objects with a value. */
  keys(value: string): ReadonlySet<string>;
  /** Notes that an object came, changed or went. */
  update(key: string, old: T | undefined, next: T | undefined): void;
  /** An empty index of the same function. */
  fresh(): StoreIndex<T>;
}

const nothing: ReadonlySet<string> = new Set();

/** Makes an index. What `valuesOf` throws in `update` goes to `onError`, and the object is under no value. */
export function createStoreIndex<T>(
  valuesOf: IndexFunction<T>,
  onError: (error: unknown, key: string) => void,
): StoreIndex<T> {
  const entries = new Map<string, Set<string>>();
  const of = (object: T | undefined, key: string): readonly string[] => {
    if (object === undefined) return [];
    try {
      return valuesOf(object);
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
