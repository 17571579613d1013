/** Counts objects in a table of rows and columns, such as pods by namespace and phase. */
export interface Tally {
  /** Adds an object. */
  add(row: string, column: string): void;
  /** Removes an object. */
  remove(row: string, column: string): void;
  /** Total number of objects. */
  readonly total: number;
  /** Rows by size, largest first. */
  rows(): { row: string; counts: ReadonlyMap<string, number>; total: number }[];
  /** Totals of the columns. */
  columns(): Map<string, number>;
}

/** Creates an empty tally. */
export function createTally(): Tally {
  const table = new Map<string, Map<string, number>>();
  let total = 0;
  const change = (row: string, column: string, by: number): void => {
    const counts = table.get(row) ?? new Map<string, number>();
    table.set(row, counts);
    const count = (counts.get(column) ?? 0) + by;
    if (count === 0) counts.delete(column);
    else counts.set(column, count);
    if (counts.size === 0) table.delete(row);
    total += by;
  };
  return {
    add: (row, column) => change(row, column, 1),
    remove: (row, column) => change(row, column, -1),
    get total() {
      return total;
    },
    rows() {
      return [...table]
        .map(([row, counts]) => ({ row, counts, total: sum(counts.values()) }))
        .sort((left, right) => right.total - left.total || left.row.localeCompare(right.row));
    },
    columns() {
      const sums = new Map<string, number>();
      for (const counts of table.values())
        for (const [column, count] of counts) sums.set(column, (sums.get(column) ?? 0) + count);
      return sums;
    },
  };
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
