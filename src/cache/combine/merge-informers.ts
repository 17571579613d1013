import { greatest } from "../../internal/extremes.js";
import type { DeepReadonly } from "../../meta/object.js";
import { compareResourceVersions } from "../../meta/resource-version.js";
import type { HandlerRegistration, Informer } from "../informer/informer.js";
import type { InformerMetrics } from "../informer/informer-metrics.js";
import type { InformerStatus } from "../informer/informer-status.js";
import type { FailureKind } from "../reflector/failure.js";
import { keyIn, setKeyFunction } from "../store/object-key.js";
import type { StoreReader } from "../store/store.js";
import type { IndexFunction } from "../store/store-index.js";
import { nameInformer } from "./named-informer.js";

/**
 * Merges several informers of one resource, such as one per namespace or shard, into a single informer. The parts must
 * not overlap: an object belongs to one of them.
 *
 * Merge the informers of several clusters under names: their objects can have the same namespace and name, so the keys
 * of the store and of changes then begin with the cluster's name, `cluster/namespace/name` or `cluster//name`.
 * `parseObjectKey` splits them. Throws a `ConfigError` for an empty name or one with a slash.
 *
 * Changes of each part keep their order. The store's `resourceVersion` is that of the part furthest behind, and
 * `status` is the worst status of any part. Closing the merged informer closes its parts. Throws a `RangeError` if
 * `parts` is empty.
 *
 * @example
 * ```ts
 * import { createInformer, mergeInformers } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const namespaces = ["web", "batch"];
 * const pods = mergeInformers(namespaces.map((name) => createInformer(client.resource(Pod).namespace(name))));
 * await pods.synced({ timeoutMs: 30_000 });
 * console.log(pods.store.size);
 * ```
 *
 * @example
 * ```ts
 * import { createInformer, mergeInformers, parseObjectKey } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const [east, west] = await Promise.all([connect({ context: "east" }), connect({ context: "west" })]);
 * const pods = mergeInformers({
 *   east: createInformer(east.resource(Pod)),
 *   west: createInformer(west.resource(Pod)),
 * });
 * pods.addHandler(({ type, key }) => console.log(type, parseObjectKey(key).cluster));
 * ```
 */
export function mergeInformers<T>(
  informers: readonly Informer<T>[] | Readonly<Record<string, Informer<T>>>,
): Informer<T> {
  const parts = isList(informers)
    ? informers
    : Object.entries(informers).map(([cluster, informer]) => nameInformer(cluster, informer));
  const first = parts[0];
  if (first === undefined) throw new RangeError("mergeInformers needs at least one informer");
  const worst = (): Informer<T> => parts.reduce((a, b) => (badness[b.status.type] > badness[a.status.type] ? b : a));
  const merged: Informer<T> = {
    description: parts.map(({ description }) => description).join(", "),
    store: mergeStores(parts.map(({ store }) => store)),
    get status() {
      return worst().status;
    },
    get hasSynced() {
      return parts.every(({ hasSynced }) => hasSynced);
    },
    get lastError() {
      return worst().lastError ?? parts.map(({ lastError }) => lastError).find((error) => error !== undefined);
    },
    get metrics() {
      return parts.map(({ metrics }) => metrics).reduce(addMetrics);
    },
    start() {
      for (const part of parts) part.start();
    },
    async synced(options) {
      await Promise.all(parts.map((part) => part.synced(options)));
    },
    async waitForResourceVersion(version, options) {
      await Promise.all(parts.map((part) => part.waitForResourceVersion(version, options)));
    },
    addHandler(handler, options) {
      const registrations: HandlerRegistration[] = [];
      try {
        for (const part of parts) registrations.push(part.addHandler(handler, options));
      } catch (error) {
        for (const registration of registrations) registration.remove();
        throw error;
      }
      return {
        get lag() {
          return greatest(registrations.map(({ lag }) => lag));
        },
        async synced(wait) {
          await Promise.all(registrations.map((registration) => registration.synced(wait)));
        },
        remove() {
          for (const registration of registrations) registration.remove();
        },
      };
    },
    onStatus(handler) {
      let reported = merged.status;
      const registrations = parts.map((part) =>
        part.onStatus(() => {
          const { status } = merged;
          if (status === reported) return;
          reported = status;
          handler(status);
        }),
      );
      return {
        remove() {
          for (const registration of registrations) registration.remove();
        },
      };
    },
    async close() {
      await Promise.all(parts.map((part) => part.close()));
    },
    [Symbol.asyncDispose]: () => merged.close(),
  };
  return merged;
}

function isList<T>(
  informers: readonly Informer<T>[] | Readonly<Record<string, Informer<T>>>,
): informers is readonly Informer<T>[] {
  return Array.isArray(informers);
}

const badness: Record<InformerStatus["type"], number> = {
  synced: 0,
  watching: 1,
  idle: 2,
  connecting: 3,
  streaming: 4,
  listing: 5,
  backingOff: 6,
  refused: 7,
  closed: 8,
};

function mergeStores<T>(stores: readonly StoreReader<T>[]): StoreReader<T> {
  function* each<V>(of: (store: StoreReader<T>) => Iterable<V>): Generator<V, undefined> {
    for (const store of stores) yield* of(store);
    return undefined;
  }
  const merged: StoreReader<T> = {
    get size() {
      return stores.reduce((sum, { size }) => sum + size, 0);
    },
    get resourceVersion() {
      let oldest: string | undefined;
      for (const { resourceVersion } of stores) {
        if (resourceVersion === undefined) return undefined;
        if (oldest === undefined || (compareResourceVersions(resourceVersion, oldest) ?? 0) < 0)
          oldest = resourceVersion;
      }
      return oldest;
    },
    get(key) {
      for (const store of stores) {
        const object = store.get(key);
        if (object !== undefined) return object;
      }
      return undefined;
    },
    has: (key) => stores.some((store) => store.has(key)),
    keys: () => each((store) => store.keys()),
    values: () => each((store) => store.values()),
    list: (query) => stores.flatMap((store) => store.list(query)),
    byIndex: (index, value) => stores.flatMap((store) => store.byIndex(index, value)),
    indexValues: (index) => [...new Set(stores.flatMap((store) => store.indexValues(index)))],
    addIndex(name: string, valuesOf: IndexFunction<DeepReadonly<T>>) {
      const added: StoreReader<T>[] = [];
      try {
        for (const store of stores) {
          store.addIndex(name, valuesOf);
          added.push(store);
        }
      } catch (error) {
        for (const store of added) store.removeIndex(name);
        throw error;
      }
    },
    removeIndex(name) {
      for (const store of stores) store.removeIndex(name);
    },
  };
  setKeyFunction(merged, (object) => {
    for (const store of stores) {
      const key = keyIn(store, object);
      if (store.get(key) === object) return key;
    }
    return undefined;
  });
  return merged;
}

function addMetrics(a: InformerMetrics, b: InformerMetrics): InformerMetrics {
  const sum = <K extends string>(x: Readonly<Record<K, number>>, y: Readonly<Record<K, number>>): Record<K, number> =>
    Object.fromEntries(Object.entries<number>(x).map(([name, value]) => [name, value + y[name as K]])) as Record<
      K,
      number
    >;
  const { events, failures, lastContactAt, lastEventAt, lastListMs, lag, handlers, encoding, ...counts } = a;
  const {
    events: otherEvents,
    failures: otherFailures,
    lastContactAt: contact,
    lastEventAt: event,
    lastListMs: list,
    lag: otherLag,
    handlers: others,
    encoding: otherEncoding,
    ...otherCounts
  } = b;
  const latest = (x: number | undefined, y: number | undefined): number | undefined =>
    x === undefined ? y : y === undefined ? x : Math.max(x, y);
  return {
    ...sum(counts, otherCounts),
    events: sum(events, otherEvents),
    failures: sum<FailureKind>(failures, otherFailures),
    // The stalest part determines the age of the last contact.
    lastContactAt: lastContactAt === undefined || contact === undefined ? undefined : Math.min(lastContactAt, contact),
    lastEventAt: latest(lastEventAt, event),
    lastListMs: Math.max(lastListMs, list),
    lag: Math.max(lag, otherLag),
    handlers: Math.max(handlers, others),
    encoding: encoding.state === "bulk" ? otherEncoding : encoding,
  };
}
