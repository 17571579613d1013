import type { Informer } from "../cache/informer/informer.js";
import type { Clock } from "../internal/clock.js";
import type { DeepReadonly } from "../meta/object.js";
import { createLease } from "./lease.js";
import { createNotifier } from "./notifier.js";
import { idleStatus, reduceStatus, type StoreStatus } from "./store-status.js";

/** Settings that all stores of a client share. */
export interface StoreSettings {
  /** Source of time. */
  readonly clock: Clock;
  /** Shortest time between two notifications (ms). */
  readonly intervalMs: number;
  /** Time for which a store without subscribers stays live (ms). */
  readonly lingerMs: number;
  /** Receives errors of listeners. */
  readonly onError: (error: unknown) => void;
}

/** Content of a feed since the last update. */
export interface FeedUpdate {
  /** Keys that may have changed; `all` after a list. */
  readonly changed: ReadonlySet<string> | "all";
  /** Current status. */
  readonly status: StoreStatus;
  /** True if the status changed. */
  readonly statusChanged: boolean;
  /** True once the informer's store is complete. */
  readonly isSynced: boolean;
}

/** Follows an informer while it has subscribers, and collects its changes into batches. */
export interface LiveFeed<T> {
  /** True while the informer is open. */
  readonly isOpen: boolean;
  /** Returns an object of the informer's store. */
  get(key: string): DeepReadonly<T> | undefined;
  /** Iterates over the keys of the informer's store; empty if the feed is closed. */
  keys(): Iterable<string>;
  /** Adds a listener; the first one opens the informer. */
  subscribe(listener: () => void): () => void;
  /** Number of objects in the informer's store. */
  readonly size: number;
  /** Marks a key as changed. */
  touch(key: string): void;
  /** Marks all keys as changed. */
  touchAll(): void;
  /** Requests an update without changed keys. */
  refresh(): void;
  /** Applies pending changes now. */
  flush(): void;
  /** Resolves when the informer's store is complete. Keeps the informer open until then. */
  ready(signal?: AbortSignal): Promise<void>;
  /** Closes the informer for good, because of an error if one is passed. */
  end(error?: unknown): void;
}

/** Dependencies of `createLiveFeed`. */
export interface LiveFeedParts<T> extends StoreSettings {
  /** Creates the informer. */
  readonly open: () => Informer<T>;
  /** Applies a batch. Returns true if the snapshot changed. */
  readonly update: (update: FeedUpdate) => boolean;
  /** Called when the informer was opened. The returned function is called when it is closed. */
  readonly onOpen?: (() => () => void) | undefined;
}

/** Creates a feed that is closed until its first subscriber. */
export function createLiveFeed<T>(parts: LiveFeedParts<T>): LiveFeed<T> {
  let informer: Informer<T> | undefined;
  let changed = new Set<string>();
  let all = false;
  let status = idleStatus;
  let shown = idleStatus;
  let ended = false;

  const update = (): boolean => {
    const batch = all ? "all" : changed;
    changed = new Set();
    all = false;
    const statusChanged = shown !== status;
    shown = status;
    return parts.update({ changed: batch, status, statusChanged, isSynced: informer?.hasSynced ?? false });
  };
  const notifier = createNotifier(parts.clock, parts.intervalMs, update, parts.onError);
  const touch = (key: string): void => {
    if (!all) changed.add(key);
    notifier.schedule();
  };
  const touchAll = (): void => {
    all = true;
    notifier.schedule();
  };

  const open = (): (() => void) => {
    const opened = parts.open();
    informer = opened;
    const statuses = opened.onStatus((next) => {
      if (next.type === "synced") all = true;
      const reduced = reduceStatus(next, status);
      if (reduced === status && !all) return;
      status = reduced;
      notifier.schedule();
      if (next.type === "closed") end();
    });
    // A batch reads objects from the store, so the changes aren't kept. `synced` stands for all changes of a list.
    const registration = opened.addHandler(({ key, cause }) => cause === "live" && touch(key), { replay: false });
    status = reduceStatus(opened.status, status);
    if (opened.hasSynced) touchAll();
    const onClose = parts.onOpen?.();
    return () => {
      onClose?.();
      statuses.remove();
      registration.remove();
      informer = undefined;
      if (!ended) {
        status = idleStatus;
        touchAll();
        notifier.flush();
      }
      void opened.close();
    };
  };
  const lease = createLease(open, parts.lingerMs, parts.clock);
  /** Closes for good. The last data stays in the snapshot. */
  const end = (error?: unknown): void => {
    ended = true;
    if (status.type !== "closed") status = { type: "closed", ...(error !== undefined && { error }) };
    notifier.schedule();
    notifier.flush();
    lease.end();
    notifier.stop();
  };

  return {
    get isOpen() {
      return lease.isOpen;
    },
    get: (key) => informer?.store.get(key),
    keys: () => informer?.store.keys() ?? [],
    get size() {
      return informer?.store.size ?? 0;
    },
    touch,
    touchAll,
    refresh: () => notifier.schedule(),
    flush: () => notifier.flush(),
    subscribe(listener) {
      const remove = notifier.add(listener);
      const release = lease.acquire();
      return () => {
        remove();
        release();
      };
    },
    async ready(signal) {
      const release = lease.acquire();
      try {
        await informer?.synced(signal === undefined ? {} : { signal });
        notifier.schedule();
        notifier.flush();
      } finally {
        release();
      }
    },
    end,
  };
}
