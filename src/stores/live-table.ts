import type { ListWatch } from "../client/resource/collection.js";
import type { TableItem } from "../client/resource/table-view.js";
import type { Kind } from "../meta/kind.js";
import type { ListOptions } from "../meta/options.js";
import type { TableColumnDefinition } from "../meta/table.js";
import { type ExternalStore, shallowEqual } from "./external-store.js";
import { createLiveFeed, type FeedUpdate, type LiveFeed } from "./live-feed.js";
import type { LiveStores } from "./live-stores.js";
import { handleFor, isListWatch, type LiveQuery, type LiveTarget } from "./live-target.js";
import type { OrderedRows } from "./ordered-rows.js";
import type { SortedRows } from "./sorted-rows.js";
import { idleStatus, type StoreStatus } from "./store-status.js";
import { checkedView, isServerOrder, type LiveTableRow, type TableView } from "./table-view.js";

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

const noColumns: readonly TableColumnDefinition[] = [];

/**
 * Creates a live table of any kind: the server's columns, kept up to date by a watch, sorted, filtered and cut to a
 * window. Tables of equal queries share one informer. The first subscriber starts it. Cells such as `Age` are as old as
 * their row; render ages from `metadata.creationTimestamp`. Until all rows have arrived, a view without `sortBy`, `filter`
 * and `offset` shows the first ones that the server lists. The code that sorts and filters is imported when the table
 * opens; if that fails, the status is `closed` with the error.
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
  let wanted = checkedView(view);
  let ordered: OrderedRows | undefined;
  let loading: Promise<void> | undefined;
  let snapshot: TableSnapshot = {
    columns: noColumns,
    rows: [],
    offset: wanted.offset ?? 0,
    matching: 0,
    total: 0,
    isSynced: false,
    status: idleStatus,
  };
  const initial = snapshot;

  /** First page of the server, which is shown until the table is complete. */
  let preview: Preview | undefined;

  const update = ({ changed, status, isSynced: listed }: FeedUpdate): boolean => {
    if (!listed) ordered?.clear();
    else if (changed === "all") ordered?.order();
    else ordered?.apply(changed);
    const { rows, shown, isComplete } = ordered ?? { rows: noRows, shown: wanted, isComplete: false };
    const isSynced = listed && isComplete;
    if (isSynced) preview = undefined;
    const early = isSynced || !isServerOrder(shown) ? undefined : preview;
    const next = take(early ?? rows, shown, { status, isSynced, total: early?.size ?? feed.size }, snapshot);
    if (next === snapshot) return false;
    snapshot = next;
    return true;
  };

  /** Loads the code that filters and sorts, while the server lists the rows. */
  const load = async (): Promise<void> => {
    const module = await import("./ordered-rows.js");
    ordered = module.createOrderedRows(wanted, feed, stores.settings);
    if (feed.isOpen) feed.touchAll();
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
      if (feed.size === 0 && isServerOrder(wanted))
        loadPreview(source, { labelSelector, fieldSelector, limit: wanted.limit, signal: leaving.signal }).then(
          show,
          () => undefined,
        );
      if (loading === undefined) {
        loading = load();
        loading.catch(feed.end);
      }
      return () => {
        ordered?.cancel();
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
      // `ready` opens the feed, which starts the loading.
      await Promise.all([feed.ready(), loading]);
      feed.flush();
      while (ordered?.pending !== undefined) await ordered.pending;
    },
    setView(next) {
      wanted = checkedView(next);
      if (ordered?.setView(wanted) ?? true) feed.refresh();
      else feed.touchAll();
      feed.flush();
    },
  };
}

function tableOf(stores: LiveStores, kind: Kind, namespace: string | undefined): LiveTarget<unknown> {
  return handleFor(stores.client, kind, namespace).asTable();
}

/** Rows in the order of the server. */
type Preview = Pick<SortedRows<LiveTableRow>, "size" | "slice">;

const noRows: Preview = { size: 0, slice: () => [] };

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
  const columns = window[0]?.columns ?? last.columns;
  const next: TableSnapshot = {
    columns: sameColumns(columns, last.columns) ? last.columns : columns,
    rows: shallowEqual(window, last.rows) ? last.rows : window,
    offset,
    matching: rows.size,
    ...state,
  };
  return shallowEqual(next, last) ? last : next;
}

/** Compares columns by content, because each list and watch brings an array of its own. */
function sameColumns(a: readonly TableColumnDefinition[], b: readonly TableColumnDefinition[]): boolean {
  return (
    a === b || (a.length === b.length && a.every(({ name, type }, i) => name === b[i]!.name && type === b[i]!.type))
  );
}
