import type { SyncPull } from "../../internal/streams/sync-pull.js";
import type { List, ListMeta } from "../../meta/list.js";
import type { ListOptions, WatchOptions } from "../../meta/options.js";
import type { WatchEvent } from "../../meta/watch-event.js";

/** Part of a list response that is still arriving. */
export interface ListChunk<T> {
  /** Items that arrived since the previous chunk. */
  readonly items: readonly T[];
  /** Metadata of the list; present only on the last chunk. */
  readonly metadata?: ListMeta | undefined;
}

/**
 * An open watch: a single-use async iterator. Leaving the loop with `break` calls `return()`, which closes the
 * connection.
 *
 * @example
 * ```ts
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const pods = client.resource(Pod).namespace("web");
 * const { metadata } = await pods.list();
 * for await (const event of pods.watch({ ...(metadata.resourceVersion && { resourceVersion: metadata.resourceVersion }) })) {
 *   if (event.type === "DELETED") console.log("deleted", event.object.metadata?.name);
 * }
 * ```
 */
export interface Watch<T> extends AsyncIterableIterator<WatchEvent<T>>, SyncPull<WatchEvent<T>> {
  /**
   * Resolves when the server has accepted the watch, before any event, and rejects like `next()` if it refuses. Absent
   * if the source doesn't report it.
   */
  readonly opened?: Promise<void> | undefined;
  /** Ends the watch and closes its connection. */
  return(): Promise<IteratorResult<WatchEvent<T>>>;
}

/**
 * Reads a collection for an informer: a list that arrives in chunks, and a watch. `createListerWatcher` creates the
 * smallest one; every resource handle is one, too.
 */
export interface ListerWatcher<T> {
  /** Description of the collection for messages and keys: `pods in "apps"`. */
  readonly description: string;
  /**
   * Identity of the client that sends the requests. Two collections with the same scope and `cacheKey` can share a
   * cache. Absent if unknown.
   */
  readonly cacheScope?: object | undefined;
  /** Kind, namespace and representation as one string, unique within `cacheScope`. */
  readonly cacheKey?: string | undefined;
  /**
   * Group, version and resource as one string, independent of namespace and representation. Server capabilities are
   * remembered per value.
   */
  readonly groupVersionResource?: string | undefined;
  /**
   * Loads the same collection in an encoding that costs less for many objects: Protobuf for the built-in kinds.
   * Resolves with `undefined` if the kind or the server doesn't support it. Absent if the client has none.
   */
  readonly loadBulk?: (() => Promise<ListerWatcher<T> | undefined>) | undefined;
  /** Aborts with a `ClosedError` when the client that sends the requests is closed. Absent if unknown. */
  readonly closedSignal?: AbortSignal | undefined;
  /**
   * Sends one list request and yields its items as they arrive; a single-use iterable. All items belong to the same
   * version of the collection.
   *
   * @example
   * ```ts
   * import { Event } from "kubestream/kinds/core/v1";
   * import { connect } from "kubestream/node";
   *
   * const client = await connect();
   * let warnings = 0;
   * for await (const { items } of client.resource(Event).listChunks())
   *   warnings += items.filter(({ type }) => type === "Warning").length;
   * console.log(warnings);
   * ```
   */
  listChunks(options?: ListOptions): AsyncIterableIterator<ListChunk<T>>;
  /** Opens a watch immediately; errors surface at the first `next()`. An ERROR event is thrown as a `StatusError`. */
  watch(options?: WatchOptions): Watch<T>;
}

/** The operations on a collection that pagers, Observables and test doubles need. Every resource handle is a `ListWatch`. */
export interface ListWatch<T> extends ListerWatcher<T> {
  /**
   * Lists the collection in one request. For a large collection, use `pages` or `items`.
   *
   * @example
   * ```ts
   * import { Pod } from "kubestream/kinds/core/v1";
   * import { connect } from "kubestream/node";
   *
   * const client = await connect();
   * const running = await client.resource(Pod).namespace("web").list({
   *   labelSelector: "app=shop,tier!=cache",
   *   fieldSelector: "status.phase=Running",
   * });
   * console.log(running.items.length, "pods at version", running.metadata.resourceVersion);
   * ```
   */
  list(options?: ListOptions): Promise<List<T>>;
  /** Lists the collection page by page; a single-use iterable. */
  pages(options?: ListOptions): AsyncIterableIterator<List<T>>;
}
