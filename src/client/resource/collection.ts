import type { SyncPull } from "../../internal/sync-pull.js";
import type { List, ListMeta } from "../../meta/list.js";
import type { ListOptions, WatchOptions } from "../../meta/options.js";
import type { WatchEvent } from "../../meta/watch-event.js";

/** Part of a list that is still arriving. */
export interface ListChunk<T> {
  /** The items that arrived since the previous chunk. */
  readonly items: readonly T[];
  /** The list's metadata; only on the last chunk. */
  readonly metadata?: ListMeta;
}

/** An open watch: a single-use iterator whose `return()`, as by `break`, closes the connection. */
export interface Watch<T> extends AsyncIterableIterator<WatchEvent<T>>, SyncPull<WatchEvent<T>> {
  /** Ends the watch and closes its connection. */
  return(): Promise<IteratorResult<WatchEvent<T>>>;
}

/** All that a reflector, a pager, an Observable or a fake needs of a collection. Resource handles are one. */
export interface ListWatch<T> {
  /** Names the collection in messages and keys: `pods in "apps"`. */
  readonly description: string;
  /** Identifies the client that sends the requests. Two collections with the same scope and `cacheKey` share a cache; absent if unknown. */
  readonly cacheScope?: object;
  /** Kind, namespace and representation as one string, unique within `cacheScope`. */
  readonly cacheKey?: string;
  /** Group, version and resource as one string, regardless of namespace and representation: server capabilities are remembered per value. */
  readonly groupVersionResource?: string;
  /** One request for a list. */
  list(options?: ListOptions): Promise<List<T>>;
  /** The list page by page; a single-use iterable. */
  pages(options?: ListOptions): AsyncIterableIterator<List<T>>;
  /** Sends one list request and yields its items as they arrive; a single-use iterable. */
  listChunks(options?: ListOptions): AsyncIterableIterator<ListChunk<T>>;
  /** Opens a watch at once; failures surface at the first `next()`. An ERROR event is thrown as a `StatusError`. */
  watch(options?: WatchOptions): Watch<T>;
}
