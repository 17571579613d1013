import type { ListWatch } from "../client/resource/collection.js";
import type { TableItem } from "../client/resource/table-view.js";
import type { Kind } from "../meta/kind.js";
import type { DeepReadonly } from "../meta/object.js";
import type { ListOptions } from "../meta/options.js";
import type { TableColumnDefinition } from "../meta/table.js";
import type { ExternalStore } from "./external-store.js";
import { createLiveFeed, type FeedUpdate, type LiveFeed } from "./live-feed.js";
import type { LiveStores } from "./live-stores.js";
import { handleFor, isListWatch, type LiveQuery, type LiveTarget } from "./live-target.js";
import { type Ordering, startOrdering } from "./ordering.js";
import { sortKey } from "./sort-key.js";
import { createSortedRows, type SortedRows } from "./sorted-rows.js";
import { idleStatus, type StoreStatus } from "./store-status.js";

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

/** Visible part of a table at one moment. */
export interface TableSnapshot {
  /** Columns that the server prints. Those with `priority` above 0 belong to wide output. */
  readonly columns: readonly TableColumnDefinition[];
  /** Rows in the window. Unchanged rows are identical to those of the previous snapshot. */
  readonly rows: readonly LiveTableRow[];
  /** Position of the first row among the matching ones. */
  readonly offset: number;
  /** Number of rows that match the filter. */
  readonly matching: number;
  /** Number of all rows. */
  readonly total: number;
  /** True once the table is complete. */
  readonly isSynced: boolean;
  /** Activity of the store. */
  readonly status: StoreStatus;
}

/**
 * A live table as an external store. Events update it incrementally; only a new sort order or filter reads all rows. With
 * over 10,000 of them, that takes several tasks, and the snapshot stays that of the last view until all are in order.
 */
export interface LiveTable extends ExternalStore<TableSnapshot> {
  /** Replaces the view. A change of the window alone costs only the rows in it. Throws a `RangeError` for bad numbers. */
  setView(view: TableView): void;
  /** Resolves when the table is complete and in order. Rejects with a `StatusError` if the server refuses. */
  ready(): Promise<void>;
}

/** Rows up to which a new order is computed in one task. */
const mostAtOnce = 10_000;

const noColumns: readonly TableColumnDefinition[] = [];

/**
 * Creates a live table of any kind: the server's columns, kept up to date by a watch, sorted, filtered and cut to a
 * window. Tables of equal queries share one informer. The first subscriber starts it. Cells such as `Age` are as old as
 * their row; render ages from `metadata.creationTimestamp`. Until all rows have arrived, a view without `sortBy`, `filter`
 * and `offset` shows the first ones that the server lists.
 *
 * @example
 * ```ts
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { createLiveStores, createLiveTable } from "kubestream/stores";
 *
 * await using stores = createLiveStores(await connect());
 * const table = createLiveTable(stores, Pod, { namespace: "web" }, { sortBy: { column: "Restarts", descending: true } });
 * await table.ready();
 * const { columns, rows } = table.getSnapshot();
 * console.log(columns.map(({ name }) => name));
 * for (const { cells } of rows) console.log(cells);
 * ```
 */
export function createLiveTable(
  stores: LiveStores,
  target: LiveTarget<unknown>,
  query: LiveQuery = {},
  view: TableView = {},
): LiveTable {
  const source = isListWatch(target) ? target : tableOf(stores, target, query.namespace);
  const { labelSelector, fieldSelector } = query;
  const ordered = createOrderedRows(view, () => feed, stores.settings);
  let snapshot: TableSnapshot = {
    columns: noColumns,
    rows: [],
    offset: ordered.shown.offset ?? 0,
    matching: 0,
    total: 0,
    isSynced: false,
    status: idleStatus,
  };
  const initial = snapshot;

  /** First page of the server, which is shown until the table is complete. */
  let preview: Preview | undefined;

  const update = ({ changed, status, isSynced: listed }: FeedUpdate): boolean => {
    if (!listed) ordered.clear();
    else if (changed === "all") ordered.order();
    else ordered.apply(changed);
    const { rows, shown } = ordered;
    const isSynced = listed && ordered.isComplete;
    if (isSynced) preview = undefined;
    const early = isSynced || !isPreviewable(shown) ? undefined : preview;
    const next = take(early ?? rows, shown, { status, isSynced, total: early?.size ?? feed.size }, snapshot);
    if (next === snapshot) return false;
    snapshot = next;
    return true;
  };

  const feed: LiveFeed<TableItem> = createLiveFeed<TableItem>({
    ...stores.settings,
    open: () => stores.informer<TableItem>(source as LiveTarget<TableItem>, { labelSelector, fieldSelector }),
    update,
    onOpen() {
      const leaving = new AbortController();
      const show = (next: Preview): void => {
        if (leaving.signal.aborted) return;
        preview = next;
        feed.refresh();
      };
      // The informer reports errors, and tries again.
      const { shown } = ordered;
      if (feed.size === 0 && isPreviewable(shown))
        loadPreview(source, { labelSelector, fieldSelector, limit: shown.limit, signal: leaving.signal }).then(
          show,
          () => undefined,
        );
      return () => {
        ordered.cancel();
        preview = undefined;
        leaving.abort();
      };
    },
  });
  return {
    getSnapshot: () => snapshot,
    getServerSnapshot: () => initial,
    subscribe: feed.subscribe,
    async ready() {
      await feed.ready();
      while (ordered.pending !== undefined) await ordered.pending;
    },
    setView(next) {
      if (ordered.setView(next)) feed.refresh();
      else feed.touchAll();
      feed.flush();
    },
  };
}

/** The rows of a table in the order of its view. */
interface OrderedRows {
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

function createOrderedRows(
  view: TableView,
  getFeed: () => LiveFeed<TableItem>,
  settings: LiveStores["settings"],
): OrderedRows {
  /** The view of the rows, and the view that was set last. They differ while a large table is put in order. */
  let shown = checkedView(view);
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
    const feed = getFeed();
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
      wanted = checkedView(next);
      if (!isSameOrder(before, wanted)) return false;
      if (ordering === undefined) shown = wanted;
      return true;
    },
    order,
    apply(keys) {
      const put = rowWriter(rows, getFeed(), shown);
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

function tableOf(stores: LiveStores, kind: Kind, namespace: string | undefined): LiveTarget<unknown> {
  return handleFor(stores.client, kind, namespace).asTable();
}

function checkedView(view: TableView): TableView {
  for (const name of ["offset", "limit"] as const) {
    const value = view[name] ?? 0;
    if (!(Number.isSafeInteger(value) && value >= 0))
      throw new RangeError(`view.${name} must be a whole number of at least 0, not ${value}`);
  }
  return view;
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

/** Rows in the order of the server. */
type Preview = Pick<SortedRows<LiveTableRow>, "size" | "slice">;

/** True if the server's first page is the beginning of the view. */
function isPreviewable({ sortBy, filter, offset = 0, limit = 100 }: TableView): boolean {
  return sortBy === undefined && (filter ?? "") === "" && offset === 0 && limit > 0;
}

/** Lists the first rows. The server says how many more there are. */
async function loadPreview(source: LiveTarget<unknown>, { limit = 100, ...options }: ListOptions): Promise<Preview> {
  const { items, metadata } = await (source as ListWatch<LiveTableRow>).list({ limit, retry: false, ...options });
  return { size: items.length + (metadata.remainingItemCount ?? 0), slice: (start, end) => items.slice(start, end) };
}

/** Returns the snapshot of the window; the last one if nothing in it changed. */
function take(
  rows: Preview,
  view: TableView,
  state: Pick<TableSnapshot, "status" | "isSynced" | "total">,
  last: TableSnapshot,
): TableSnapshot {
  const { offset = 0, limit = 100 } = view;
  const window = rows.slice(offset, offset + limit);
  const unchanged = window.length === last.rows.length && window.every((row, index) => row === last.rows[index]);
  const columns = window[0]?.columns ?? last.columns;
  const next: TableSnapshot = {
    columns: sameColumns(columns, last.columns) ? last.columns : columns,
    rows: unchanged ? last.rows : window,
    offset,
    matching: rows.size,
    ...state,
  };
  const keys = Object.keys(next) as (keyof TableSnapshot)[];
  return keys.every((key) => next[key] === last[key]) ? last : next;
}

/** Compares columns by content, because each list and watch brings an array of its own. */
function sameColumns(a: readonly TableColumnDefinition[], b: readonly TableColumnDefinition[]): boolean {
  return (
    a === b || (a.length === b.length && a.every(({ name, type }, i) => name === b[i]!.name && type === b[i]!.type))
  );
}
