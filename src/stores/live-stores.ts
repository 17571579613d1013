import { createCollectionKeys } from "../cache/informer/collection-keys.js";
import type { Informer, InformerOptions } from "../cache/informer/informer.js";
import { createInformerFactory } from "../cache/informer/informer-factory.js";
import type { Client } from "../client/client.js";
import type { ListWatch } from "../client/resource/collection.js";
import { type Clock, systemClock } from "../internal/clock.js";
import { pushAll } from "../internal/push-all.js";
import { quietly } from "../internal/quietly.js";
import type { Kind } from "../meta/kind.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import {
  type CollectionSnapshot,
  type CollectionStore,
  createCollectionStore,
  type ManagedCollection,
} from "./collection-store.js";
import { type ExternalStore, selectStore, shallowEqual } from "./external-store.js";
import type { StoreSettings } from "./live-feed.js";
import { isListWatch, type LiveQuery, type LiveTarget, type ObjectTarget, sourceFor } from "./live-target.js";
import { type Mutation, runMutation } from "./mutation.js";
import { createOverlays } from "./overlays.js";
import type { StoreStatus } from "./store-status.js";

/** Data that was prefetched on a server, as JSON. */
export interface DehydratedStores {
  /** Objects by collection. */
  readonly collections: Readonly<Record<string, readonly unknown[]>>;
}

/** Options for `createLiveStores`. */
export interface LiveStoresOptions {
  /** Time in milliseconds for which a collection without subscribers stays live. Default 30,000. */
  readonly lingerMs?: number | undefined;
  /** Shortest time in milliseconds between two notifications of a store. Default 16: once per frame. */
  readonly intervalMs?: number | undefined;
  /** Result of `dehydrate` on the server. */
  readonly dehydrated?: DehydratedStores | undefined;
  /** Options for all informers. */
  readonly informer?:
    | Omit<InformerOptions<unknown>, "transform" | "indexes" | "shard" | "clock" | "onError">
    | undefined;
  /** Receives errors thrown by listeners and optimistic changes. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** One object at one moment. */
export interface ObjectSnapshot<T> {
  /** The object; `undefined` while it doesn't exist or isn't known. */
  readonly object: DeepReadonly<T> | undefined;
  /** True once it is known if the object exists. */
  readonly isSynced: boolean;
  /** Activity of the store. */
  readonly status: StoreStatus;
}

/** A live object as an external store. */
export interface ObjectStore<T> extends ExternalStore<ObjectSnapshot<T>> {
  /** Resolves when it is known if the object exists; see `CollectionStore.ready`. */
  ready(): Promise<void>;
}

/**
 * Live data of a client for user interfaces. Equal queries share one store and one informer, which runs while it has
 * subscribers and `lingerMs` longer. Getting a store has no side effects, so it's allowed while rendering.
 */
export interface LiveStores extends AsyncDisposable {
  /** The client that sends the requests. */
  readonly client: Client;
  /** Settings that the stores share. */
  readonly settings: StoreSettings;
  /** Returns a handle to the shared informer of a collection. Close it when it isn't needed any more. */
  informer<T>(target: LiveTarget<T>, query?: LiveQuery): Informer<T>;
  /** Returns the store of a collection. Throws a `TypeError` for a namespace with a handle or a cluster-scoped kind. */
  collection<T>(target: LiveTarget<T>, query?: LiveQuery): CollectionStore<T>;
  /** Returns the store of one object. */
  object<T>(kind: Kind<T>, target: ObjectTarget): ObjectStore<T>;
  /**
   * Writes one object and shows the change at once in all stores of its kind. The change is removed when the write
   * fails, and applied again to newer states that arrive while the write is pending. Rejects with the write's error.
   *
   * @example
   * ```ts
   * import { Deployment } from "kubestream/kinds/apps/v1";
   * import { connect } from "kubestream/node";
   * import { createLiveStores } from "kubestream/stores";
   *
   * await using stores = createLiveStores(await connect());
   * await stores.mutate(Deployment, { namespace: "web", name: "shop" }, {
   *   change(deployment) {
   *     deployment.spec = { ...deployment.spec!, replicas: 3 };
   *   },
   * });
   * ```
   */
  mutate<T>(kind: Kind<T>, target: ObjectTarget, mutation: Mutation<T>): Promise<T | undefined>;
  /** Lists a collection once, for a server-side rendering. Rejects like `list`. */
  prefetch<T>(target: LiveTarget<T>, query?: LiveQuery): Promise<void>;
  /** Returns the prefetched data as JSON values, for the page. It contains whole objects: don't prefetch Secrets. */
  dehydrate(): DehydratedStores;
  /** Closes all informers. The client stays open. */
  close(): Promise<void>;
}

/** Time that a component may take from its first rendering to its subscription (ms). */
const mountMs = 10_000;

/** A store and the time (monotonic ms) when it was last requested. */
interface Entry {
  readonly store: ManagedCollection<unknown>;
  requestedAt: number;
}

/**
 * Creates the live stores of a client. Throws a `RangeError` for negative times.
 *
 * @example
 * ```ts
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { createLiveStores } from "kubestream/stores";
 *
 * const stores = createLiveStores(await connect(), { lingerMs: 10_000 });
 * const pods = stores.collection(Pod, { namespace: "web" });
 * const unsubscribe = pods.subscribe(() => {
 *   const { items, status } = pods.getSnapshot();
 *   console.log(status.type, items.length);
 * });
 * await pods.ready();
 * unsubscribe();
 * await stores.close();
 * ```
 */
export function createLiveStores(client: Client, options: LiveStoresOptions = {}): LiveStores {
  const { clock = systemClock } = options;
  const settings: StoreSettings = {
    clock,
    intervalMs: atLeastZero("intervalMs", options.intervalMs ?? 16),
    lingerMs: atLeastZero("lingerMs", options.lingerMs ?? 30_000),
    onError: quietly(options.onError),
  };
  const factory = createInformerFactory({ ...options.informer, clock, onError: settings.onError });
  const overlays = createOverlays(clock, settings.onError);
  const keyOf = createCollectionKeys();
  const entries = new Map<string, Entry>();
  const objects = new WeakMap<object, ObjectStore<unknown>>();
  const prefetched = new Map<string, readonly unknown[]>(Object.entries(options.dehydrated?.collections ?? {}));

  /** Forgets stores that were requested but not used for a while, such as by a rendering that React discarded. */
  const sweep = (now: number): void => {
    for (const [key, { store, requestedAt }] of entries)
      if (!store.isOpen && now - requestedAt > Math.max(settings.lingerMs, mountMs)) entries.delete(key);
  };

  const collection = <T>(target: LiveTarget<T>, query: LiveQuery = {}): CollectionStore<T> => {
    const source = sourceFor(client, target, query.namespace);
    // A handle may return table rows or metadata, which optimistic changes of whole objects don't fit.
    const resource = isListWatch(target) ? undefined : source.groupVersionResource;
    const key = `${resource === undefined ? "handle" : "kind"} ${keyOf(source, query)}`;
    const now = clock.monotonic();
    let entry = entries.get(key);
    if (entry === undefined) {
      sweep(now);
      const { labelSelector, fieldSelector } = query;
      const store = createCollectionStore<T>({
        ...settings,
        description: source.description,
        open: () => stores.informer(source, { labelSelector, fieldSelector }),
        overlays: resource === undefined ? undefined : overlays.view(resource),
        prefetched: prefetched.get(dehydratedKey(source, query)) as readonly DeepReadonly<T>[] | undefined,
      });
      entry = { store: store as unknown as ManagedCollection<unknown>, requestedAt: now };
      entries.set(key, entry);
    }
    entry.requestedAt = now;
    return entry.store as unknown as CollectionStore<T>;
  };

  const stores: LiveStores = {
    client,
    settings,
    informer(target, query = {}) {
      const { namespace, labelSelector, fieldSelector } = query;
      return factory.informer(sourceFor(client, target, namespace), { labelSelector, fieldSelector });
    },
    collection,
    object<T>(kind: Kind<T>, { namespace, name }: ObjectTarget): ObjectStore<T> {
      const store = collection<T>(kind, { namespace, fieldSelector: `metadata.name=${name}` });
      // The same instance each time, because its snapshots are compared by identity.
      const known = objects.get(store) as ObjectStore<T> | undefined;
      const created = known ?? createObjectStore(store);
      objects.set(store, created);
      return created;
    },
    mutate: (kind, target, mutation) => runMutation(client, overlays, { kind, target, mutation }),
    async prefetch(target, query = {}) {
      const source = sourceFor(client, target, query.namespace);
      const { labelSelector, fieldSelector } = query;
      const items: KubernetesObject[] = [];
      for await (const page of source.pages({ labelSelector, fieldSelector })) pushAll(items, page.items as object[]);
      prefetched.set(dehydratedKey(source, query), items);
      // So that their next snapshots have the data. A store in use has its own.
      for (const [key, { store }] of entries) if (!store.isOpen) entries.delete(key);
    },
    dehydrate: () => ({ collections: Object.fromEntries(prefetched) }),
    async close() {
      for (const { store } of entries.values()) store.end();
      entries.clear();
      overlays.end();
      await factory.close();
    },
    [Symbol.asyncDispose]: () => stores.close(),
  };
  return stores;
}

/** Returns the store of the only object of a collection. */
function createObjectStore<T>(store: CollectionStore<T>): ObjectStore<T> {
  const select = ({ items, isSynced, status }: CollectionSnapshot<T>): ObjectSnapshot<T> => ({
    object: items[0],
    isSynced,
    status,
  });
  return { ...selectStore(store, select, shallowEqual), ready: () => store.ready() };
}

/** Identity of a collection that server and page agree on. */
function dehydratedKey(source: ListWatch<unknown>, { labelSelector, fieldSelector }: LiveQuery): string {
  return JSON.stringify([source.cacheKey ?? source.description, labelSelector ?? "", fieldSelector ?? ""]);
}

function atLeastZero(name: string, value: number): number {
  if (!(value >= 0)) throw new RangeError(`${name} must be at least 0, not ${value}`);
  return value;
}
