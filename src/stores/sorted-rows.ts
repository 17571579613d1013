/** A value with its key and the part by which it is sorted. */
export interface Row<V> {
  /** Key of the object; breaks ties. */
  readonly key: string;
  /** Sort key; `undefined` sorts last in either direction. */
  readonly sort: string | number | undefined;
  /** Value. */
  readonly value: V;
}

/** Rows in order, updated incrementally: each change costs a binary search, and many changes one copy of the list. */
export interface SortedRows<V> {
  /** Number of rows. */
  readonly size: number;
  /** Returns the current value of a key, without pending updates. */
  get(key: string): V | undefined;
  /** Queues the new row of a key, or its removal. */
  set(key: string, row: Row<V> | undefined): void;
  /** Iterates over the keys, without pending updates. */
  keys(): IterableIterator<string>;
  /** Applies the queued updates. Returns true if a row changed. */
  flush(): boolean;
  /** Returns the values from one position up to another; all by default. */
  slice(from?: number, to?: number): V[];
}

/** Up to this number of updates, each is inserted on its own. */
const mostInsertions = 16;

/** Creates an empty list of rows. */
export function createSortedRows<V>(descending = false): SortedRows<V> {
  const byKey = new Map<string, Row<V>>();
  const pending = new Map<string, Row<V> | undefined>();
  let order: Row<V>[] = [];
  const compare = (a: Row<V>, b: Row<V>): number => compareRows(a, b, descending);

  /** Returns the first position whose row doesn't sort before the given one. */
  const position = (row: Row<V>): number => {
    let [low, high] = [0, order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(order[middle]!, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const replace = (old: Row<V> | undefined, next: Row<V> | undefined): void => {
    const at = old === undefined ? -1 : position(old);
    if (old !== undefined && next !== undefined && compare(old, next) === 0) order[at] = next;
    else {
      if (old !== undefined) order.splice(at, 1);
      if (next !== undefined) order.splice(position(next), 0, next);
    }
  };

  /** Finds the place of each update, and copies the rows between these places. */
  const merge = (gone: readonly Row<V>[], added: readonly Row<V>[]): void => {
    const removals = gone.map(position).sort((a, b) => a - b);
    const insertions = added.map(position);
    const merged: Row<V>[] = [];
    let [at, removed, inserted] = [0, 0, 0];
    for (;;) {
      const stop = Math.min(removals[removed] ?? order.length, insertions[inserted] ?? order.length);
      while (at < stop) merged.push(order[at++]!);
      if (insertions[inserted] === at) merged.push(added[inserted++]!);
      else if (removals[removed] === at) [at, removed] = [at + 1, removed + 1];
      else break;
    }
    order = merged;
  };

  const rebuild = (gone: readonly Row<V>[], added: readonly Row<V>[]): void => {
    const leaving = new Set(gone);
    // Sorting two sorted parts takes linear time.
    order = [...order.filter((row) => !leaving.has(row)), ...added].sort(compare);
  };

  return {
    get size() {
      return order.length;
    },
    get: (key) => byKey.get(key)?.value,
    keys: () => byKey.keys(),
    set(key, row) {
      pending.set(key, row);
    },
    flush() {
      const gone: Row<V>[] = [];
      const added: Row<V>[] = [];
      let changed = false;
      const single = pending.size <= mostInsertions;
      for (const [key, next] of pending) {
        const old = byKey.get(key);
        if (old?.value === next?.value && old?.sort === next?.sort) continue;
        changed = true;
        if (single) replace(old, next);
        else {
          if (old !== undefined) gone.push(old);
          if (next !== undefined) added.push(next);
        }
        if (next === undefined) byKey.delete(key);
        else byKey.set(key, next);
      }
      pending.clear();
      added.sort(compare);
      const updates = gone.length + added.length;
      if (updates > order.length / 8) rebuild(gone, added);
      else if (updates > 0) merge(gone, added);
      return changed;
    },
    slice: (from, to) => order.slice(from, to).map(({ value }) => value),
  };
}

function compareRows(a: Row<unknown>, b: Row<unknown>, descending: boolean): number {
  if (a.sort !== b.sort) {
    if (a.sort === undefined) return 1;
    if (b.sort === undefined) return -1;
    // Numbers sort before text, because a column may have both.
    const mixed = typeof a.sort === typeof b.sort ? undefined : typeof a.sort === "number";
    const before = mixed ?? a.sort < b.sort;
    return before === descending ? 1 : -1;
  }
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
