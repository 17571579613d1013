/** Returns the first item for each key. A lookup in it takes constant time, unlike `find` within a loop. */
export function firstBy<T, K>(items: readonly T[] | null | undefined, keyOf: (item: T) => K): ReadonlyMap<K, T> {
  const found = new Map<K, T>();
  for (const item of items ?? []) {
    const key = keyOf(item);
    if (!found.has(key)) found.set(key, item);
  }
  return found;
}

/** Returns the items for each key, in their order. */
export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
