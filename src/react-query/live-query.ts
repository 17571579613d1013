import type { Kind } from "../meta/kind.js";
import type { DeepReadonly } from "../meta/object.js";
import type { ExternalStore } from "../stores/external-store.js";
import type { LiveStores } from "../stores/live-stores.js";
import type { LiveQuery, LiveTarget, ObjectTarget } from "../stores/live-target.js";

/** Part of TanStack Query's `QueryClient` that live queries use. */
export interface LiveQueryClient {
  /** Sets the data of a query. */
  setQueryData(queryKey: readonly unknown[], data: unknown): unknown;
  /** Returns the cache of queries. */
  getQueryCache(): {
    /** Finds a query by its key. */
    find(filters: { readonly queryKey: readonly unknown[]; readonly exact: boolean }): LiveQueryEntry | undefined;
    /** Follows the cache's events. */
    subscribe(listener: (event: { readonly type: string; readonly query: unknown }) => void): () => void;
  };
}

/** Part of TanStack Query's `Query` that live queries use. */
export interface LiveQueryEntry {
  /** Returns the number of components that use the query. */
  getObserversCount(): number;
}

/** Argument of a query function. */
export interface LiveQueryContext {
  /** The query client. */
  readonly client: LiveQueryClient;
  /** Key of the query. */
  readonly queryKey: readonly unknown[];
}

/** Options for `useQuery` and its relatives in all frameworks of TanStack Query 5. */
export interface LiveQueryOptions<D> {
  /** Key of the query, which starts with `kubestream`. */
  readonly queryKey: readonly unknown[];
  /** Waits for the first data, and keeps the query up to date from then on. */
  readonly queryFn: (context: LiveQueryContext) => Promise<D>;
  /** Never stale, because the data is live while a component uses it. */
  readonly staleTime: number;
  /** Off, because unchanged objects keep their identity without it. */
  readonly structuralSharing: false;
}

/**
 * Returns query options for a live collection. While a component uses the query, each change of the collection sets its
 * data. Refetching is not needed.
 *
 * @example
 * ```ts
 * import { QueryClient, QueryObserver } from "@tanstack/query-core";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { listQuery } from "kubestream/react-query";
 * import { createLiveStores } from "kubestream/stores";
 *
 * const stores = createLiveStores(await connect());
 * // In React: const { data } = useQuery(listQuery(stores, Pod, { namespace: "web" }));
 * const observer = new QueryObserver(new QueryClient(), listQuery(stores, Pod, { namespace: "web" }));
 * observer.subscribe(({ data }) => console.log(data?.length));
 * ```
 */
export function listQuery<T>(
  stores: LiveStores,
  target: LiveTarget<T>,
  query: LiveQuery = {},
): LiveQueryOptions<readonly DeepReadonly<T>[]> {
  const store = stores.collection(target, query);
  const { namespace, labelSelector, fieldSelector } = query;
  return liveQuery(
    ["kubestream", "list", nameOf(target), { namespace, labelSelector, fieldSelector }],
    store,
    ({ items }) => items,
  );
}

/** Returns query options for one live object. The data is `null` while the object doesn't exist. */
export function objectQuery<T>(
  stores: LiveStores,
  kind: Kind<T>,
  target: ObjectTarget,
): LiveQueryOptions<DeepReadonly<T> | null> {
  const { namespace, name } = target;
  return liveQuery(
    ["kubestream", "object", nameOf(kind), { namespace, name }],
    stores.object(kind, target),
    ({ object }) => object ?? null,
  );
}

/** Returns the name of a collection for a query's key, which must be JSON. */
function nameOf(target: LiveTarget<unknown>): string {
  return "watch" in target
    ? (target.cacheKey ?? target.description)
    : `${target.group}/${target.version}/${target.plural}`;
}

type LiveStore<S> = ExternalStore<S> & { ready(): Promise<void> };

function liveQuery<S extends { readonly isSynced: boolean }, D>(
  queryKey: readonly unknown[],
  store: LiveStore<S>,
  select: (snapshot: S) => D,
): LiveQueryOptions<D> {
  return {
    queryKey,
    staleTime: Infinity,
    structuralSharing: false,
    async queryFn({ client, queryKey: key }) {
      await store.ready();
      const data = select(store.getSnapshot());
      follow(client, key, store, () => {
        const snapshot = store.getSnapshot();
        if (snapshot.isSynced) client.setQueryData(key, select(snapshot));
      });
      return data;
    },
  };
}

/** Queries that are followed already. */
const followed = new WeakSet<LiveQueryEntry>();

/** Subscribes to the store while the query has observers, until the query is removed from the cache. */
function follow(
  client: LiveQueryClient,
  queryKey: readonly unknown[],
  store: ExternalStore<unknown>,
  push: () => void,
): void {
  const cache = client.getQueryCache();
  const query = cache.find({ queryKey, exact: true });
  if (query === undefined || followed.has(query)) return;
  followed.add(query);
  let unsubscribe: (() => void) | undefined;
  const update = (isUsed: boolean): void => {
    if (isUsed) unsubscribe ??= store.subscribe(push);
    else {
      unsubscribe?.();
      unsubscribe = undefined;
    }
  };
  const leave = cache.subscribe(({ type, query: changed }) => {
    if (changed !== query) return;
    if (type === "removed") {
      update(false);
      leave();
      followed.delete(query);
    } else if (type === "observerAdded" || type === "observerRemoved") {
      update(query.getObserversCount() > 0);
      if (type === "observerAdded") push();
    }
  });
  update(query.getObserversCount() > 0);
}
