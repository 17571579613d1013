import type { TableItem } from "../client/resource/table-view.js";
import type { DeepReadonly } from "../meta/object.js";

/** A row of a live table: the server's cells and the object's metadata. */
export type LiveTableRow = DeepReadonly<TableItem>;

/** Part of a table to show. */
export interface TableView {
  /** Column to sort by, by name and ignoring case. Default, and for an unknown column: namespace and name. */
  readonly sortBy?: { readonly column: string; readonly descending?: boolean | undefined } | undefined;
  /** Text that a cell or the namespace must contain, ignoring case, or a predicate. Default: all rows. */
  readonly filter?: string | ((row: LiveTableRow) => boolean) | undefined;
  /** Number of rows to skip. Default 0. */
  readonly offset?: number | undefined;
  /** Maximum number of rows in the snapshot. Default 100. */
  readonly limit?: number | undefined;
}

/** Returns the view. Throws a `RangeError` for an invalid window. */
export function checkedView(view: TableView): TableView {
  for (const name of ["offset", "limit"] as const) {
    const value = view[name] ?? 0;
    if (!(Number.isSafeInteger(value) && value >= 0))
      throw new RangeError(`view.${name} must be a whole number of at least 0, not ${value}`);
  }
  return view;
}

/** True if the first rows that the server lists are the beginning of the view. */
export function isServerOrder({ sortBy, filter, offset = 0, limit = 100 }: TableView): boolean {
  return sortBy === undefined && (filter ?? "") === "" && offset === 0 && limit > 0;
}
