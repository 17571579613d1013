import type { DeepReadonly } from "../meta/object.js";
import type { ExternalStore } from "./external-store.js";
import { createLiveFeed, type FeedUpdate, type LiveFeed, type LiveFeedParts } from "./live-feed.js";
import type { OverlayView } from "./overlays.js";
import { createSortedRows } from "./sorted-rows.js";
import { idleStatus, type StoreStatus } from "./store-status.js";

/** Contents of a collection at one moment. */
export interface CollectionSnapshot<T> {
  /** Objects sorted by namespace and name. The same array until an object changes; unchanged objects are identical. */
  readonly items: readonly DeepReadonly<T>[];
  /** True once `items` is complete: after a list, or from prefetched data. */
  readonly isSynced: boolean;
  /** Activity of the store. */
  readonly status: StoreStatus;
}

/** A live collection as an external store. The first subscriber starts its informer. */
export interface CollectionStore<T> extends ExternalStore<CollectionSnapshot<T>> {
  /** Name of the collection for messages, such as `pods in "apps"`. */
  readonly description: string;
  /**
   * Resolves when the snapshot is complete, and keeps the informer open until then. Returns the same promise while it
   * is pending, for Suspense. Rejects with a `StatusError` if the server refuses.
   */
  ready(): Promise<void>;
}

/** A collection store with the methods that `LiveStores` calls. */
export interface ManagedCollection<T> extends CollectionStore<T> {
  /** True while the informer is open. */
  readonly isOpen: boolean;
  /** Closes the informer for good. */
  end(): void;
}

/** Dependencies of `createCollectionStore`. */
export interface CollectionParts<T> extends Omit<LiveFeedParts<T>, "update" | "onOpen"> {
  /** Name of the collection. */
  readonly description: string;
  /** Optimistic changes to the collection's objects. */
  readonly overlays?: OverlayView | undefined;
  /** Objects from a prefetch, shown until the informer has its own. */
  readonly prefetched?: readonly DeepReadonly<T>[] | undefined;
}

/** Creates a store for one collection. */
export function createCollectionStore<T>(parts: CollectionParts<T>): ManagedCollection<T> {
  const { overlays, prefetched } = parts;
  type V = DeepReadonly<T>;
  const initial: CollectionSnapshot<T> = {
    items: prefetched ?? [],
    isSynced: prefetched !== undefined,
    status: idleStatus,
  };
  let snapshot = initial;
  let server = initial;
  let rows = createSortedRows<V>();
  let ready: Promise<void> | undefined;

  const put = (key: string): void => {
    const object = feed.get(key);
    const value = object === undefined ? undefined : ((overlays?.apply(key, object as object) ?? object) as V);
    rows.set(key, value === undefined ? undefined : { key, sort: undefined, value });
  };

  const update = ({ changed, status, statusChanged, isSynced }: FeedUpdate): boolean => {
    if (!isSynced) {
      // A closed feed has let go of its objects; prefetched ones remain.
      if (rows.size > 0) rows = createSortedRows();
      if (!statusChanged && snapshot.isSynced === initial.isSynced) return false;
      snapshot = { ...initial, status };
      return true;
    }
    if (changed === "all") for (const key of rows.keys()) put(key);
    for (const key of changed === "all" ? feed.keys() : changed) put(key);
    const itemsChanged = rows.flush();
    if (!itemsChanged && !statusChanged && snapshot.isSynced && snapshot !== initial) return false;
    const items = itemsChanged || snapshot.items === initial.items ? rows.slice() : snapshot.items;
    snapshot = { items, isSynced, status };
    return true;
  };

  const feed: LiveFeed<T> = createLiveFeed<T>({
    ...parts,
    update,
    onOpen: () => {
      const show = (key: string): void => {
        feed.touch(key);
        // At once, because a user waits for the effect of an action.
        feed.flush();
      };
      return overlays?.follow(show) ?? (() => undefined);
    },
  });
  const load = async (): Promise<void> => {
    await feed.ready();
    // A server that waited for the data sends it, and the page waits for the same data to hydrate.
    if (!server.isSynced) server = snapshot;
  };
  return {
    description: parts.description,
    get isOpen() {
      return feed.isOpen;
    },
    getSnapshot: () => snapshot,
    getServerSnapshot: () => server,
    subscribe: feed.subscribe,
    ready() {
      if (snapshot.isSynced) return Promise.resolve();
      ready ??= load().finally(() => {
        ready = undefined;
      });
      return ready;
    },
    end: feed.end,
  };
}
