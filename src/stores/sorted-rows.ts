/** A value with its key and the part by which it is sorted. */
export interface Row<V> {
  /** Key of the object; breaks ties. */
  readonly key: string;
  /** Sort key; `undefined` sorts last in either direction. */
  readonly sort: string | number | undefined;
  /** Value. */
  readonly value: V;
}

/** Rows in order, updated incrementally: a change costs a binary search, many changes cost one merge. */
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

  const merge = (gone: ReadonlySet<Row<V>>, added: Row<V>[]): void => {
    added.sort(compare);
    const merged: Row<V>[] = [];
    let next = 0;
    for (const row of order) {
      if (gone.has(row)) continue;
      while (next < added.length && compare(added[next]!, row) < 0) merged.push(added[next++]!);
      merged.push(row);
    }
    while (next < added.length) merged.push(added[next++]!);
    order = merged;
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
      const gone = new Set<Row<V>>();
      const added: Row<V>[] = [];
      let changed = false;
      const single = pending.size <= mostInsertions;
      for (const [key, next] of pending) {
        const old = byKey.get(key);
        if (old?.value === next?.value && old?.sort === next?.sort) continue;
        changed = true;
        if (single) replace(old, next);
        else {
          if (old !== undefined) gone.add(old);
          if (next !== undefined) added.push(next);
        }
        if (next === undefined) byKey.delete(key);
        else byKey.set(key, next);
      }
      pending.clear();
      if (gone.size + added.length > 0) merge(gone, added);
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
