import type { TableItem } from "../client/resource/table-view.js";
import type { LiveFeed, StoreSettings } from "./live-feed.js";
import { type Ordering, startOrdering } from "./ordering.js";
import { sortKey } from "./sort-key.js";
import { createSortedRows, type SortedRows } from "./sorted-rows.js";
import type { LiveTableRow, TableView } from "./table-view.js";

/** Rows up to which a new order is computed in one task. */
const mostAtOnce = 10_000;

/** The rows of a table in the order of its view. */
export interface OrderedRows {
  readonly rows: SortedRows<LiveTableRow>;
  /** View of the rows. */
  readonly shown: TableView;
  /** True once the rows are those of the informer's store. */
  readonly isComplete: boolean;
  /** Resolves when a large table has been put in order; `undefined` if it is in order. */
  readonly pending: Promise<void> | undefined;
  /** Sets the view. Returns false if its order needs all rows. */
  setView(view: TableView): boolean;
  /** Filters and sorts all rows. */
  order(): void;
  /** Updates the rows of some keys. */
  apply(keys: ReadonlySet<string>): void;
  /** Removes all rows. */
  clear(): void;
  /** Ends the work on a large table. */
  cancel(): void;
}

/** Creates the rows of a table. */
export function createOrderedRows(view: TableView, feed: LiveFeed<TableItem>, settings: StoreSettings): OrderedRows {
  /** The view of the rows, and the view that was set last. They differ while a large table is put in order. */
  let shown = view;
  let wanted = shown;
  let rows = createSortedRows<LiveTableRow>(shown.sortBy?.descending);
  let ordering: (Ordering & { readonly put: (key: string) => void }) | undefined;
  /** True once the rows are those of the informer's store. */
  let isComplete = false;
  const use = (sorted: SortedRows<LiveTableRow>): void => {
    rows = sorted;
    shown = wanted;
    ordering = undefined;
    isComplete = true;
  };

  const cancelOrdering = (): void => {
    ordering?.cancel();
    ordering = undefined;
  };

  /** Filters and sorts all rows. */
  const order = (): void => {
    cancelOrdering();
    const next = createSortedRows<LiveTableRow>(wanted.sortBy?.descending);
    const put = rowWriter(next, feed, wanted);
    if (feed.size <= mostAtOnce) {
      for (const key of feed.keys()) put(key);
      next.flush();
      use(next);
      return;
    }
    const { clock } = settings;
    const onError = (error: unknown): void => {
      ordering = undefined;
      wanted = shown;
      settings.onError(error);
    };
    const onDone = (): void => {
      next.flush();
      use(next);
      feed.refresh();
      feed.flush();
    };
    ordering = { ...startOrdering({ keys: [...feed.keys()], put, flush: next.flush, onDone, onError, clock }), put };
  };

  return {
    get rows() {
      return rows;
    },
    get shown() {
      return shown;
    },
    get isComplete() {
      return isComplete;
    },
    get pending() {
      return ordering?.done;
    },
    setView(next) {
      const before = wanted;
      wanted = next;
      if (!isSameOrder(before, wanted)) return false;
      if (ordering === undefined) shown = wanted;
      return true;
    },
    order,
    apply(keys) {
      const put = rowWriter(rows, feed, shown);
      for (const key of keys) {
        if (isComplete) put(key);
        ordering?.put(key);
      }
      rows.flush();
    },
    clear() {
      cancelOrdering();
      isComplete = false;
      shown = wanted;
      if (rows.size > 0) rows = createSortedRows(shown.sortBy?.descending);
    },
    cancel: cancelOrdering,
  };
}

function isSameOrder(a: TableView, b: TableView): boolean {
  return (
    a.filter === b.filter &&
    a.sortBy?.column === b.sortBy?.column &&
    (a.sortBy?.descending ?? false) === (b.sortBy?.descending ?? false)
  );
}

/** Returns a function that queues the current row of a key, or its removal. */
function rowWriter(rows: SortedRows<LiveTableRow>, feed: LiveFeed<TableItem>, view: TableView): (key: string) => void {
  const matches = matcher(view.filter);
  const column = view.sortBy?.column.toLowerCase();
  return (key) => {
    const row = feed.get(key);
    const value = row !== undefined && matches(row) ? row : undefined;
    rows.set(key, value === undefined ? undefined : { key, sort: sortKey(value, column), value });
  };
}

function matcher(filter: TableView["filter"]): (row: LiveTableRow) => boolean {
  if (filter === undefined || filter === "") return () => true;
  if (typeof filter === "function") return filter;
  const wanted = filter.toLowerCase();
  const contains = (text: string | undefined): boolean => text?.toLowerCase().includes(wanted) ?? false;
  return ({ cells, metadata }) =>
    contains(metadata.namespace) || cells.some((cell) => contains(typeof cell === "string" ? cell : String(cell)));
}
