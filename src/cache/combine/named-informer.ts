import { ConfigError } from "../../errors/errors.js";
import type { Informer } from "../informer/informer.js";
import { keyIn, setKeyFunction } from "../store/object-key.js";
import type { StoreReader } from "../store/store.js";

/**
 * Returns a view of an informer whose keys begin with the name of its cluster: `cluster/namespace/name`, or
 * `cluster//name` for cluster-scoped objects. Throws a `ConfigError` for a name that a key can't contain.
 */
export function nameInformer<T>(cluster: string, informer: Informer<T>): Informer<T> {
  if (cluster === "" || cluster.includes("/"))
    throw new ConfigError(`mergeInformers: the name ${JSON.stringify(cluster)} must not be empty or contain "/"`);
  const named: Informer<T> = {
    description: `${informer.description} of ${cluster}`,
    store: nameStore(cluster, informer.store),
    get status() {
      return informer.status;
    },
    get hasSynced() {
      return informer.hasSynced;
    },
    get lastError() {
      return informer.lastError;
    },
    get metrics() {
      return informer.metrics;
    },
    start: () => informer.start(),
    synced: (options) => informer.synced(options),
    waitForResourceVersion: (version, options) => informer.waitForResourceVersion(version, options),
    addHandler: (handler, options) =>
      informer.addHandler((change) => handler({ ...change, key: prefixed(cluster, change.key) }), options),
    onStatus: (handler) => informer.onStatus(handler),
    close: () => informer.close(),
    [Symbol.asyncDispose]: () => informer.close(),
  };
  return named;
}

function nameStore<T>(cluster: string, store: StoreReader<T>): StoreReader<T> {
  const inner = (key: string): string | undefined => {
    if (!key.startsWith(`${cluster}/`)) return undefined;
    const rest = key.slice(cluster.length + 1);
    // One slash is left between namespace and name, or in front of a name alone.
    if (!rest.includes("/")) return undefined;
    return rest.startsWith("/") ? rest.slice(1) : rest;
  };
  const named: StoreReader<T> = {
    get size() {
      return store.size;
    },
    get resourceVersion() {
      return store.resourceVersion;
    },
    get(key) {
      const own = inner(key);
      return own === undefined ? undefined : store.get(own);
    },
    has(key) {
      const own = inner(key);
      return own !== undefined && store.has(own);
    },
    *keys() {
      for (const key of store.keys()) yield prefixed(cluster, key);
      return undefined;
    },
    values: () => store.values(),
    list: (query) => store.list(query),
    byIndex: (index, value) => store.byIndex(index, value),
    indexValues: (index) => store.indexValues(index),
    addIndex: (name, valuesOf) => store.addIndex(name, valuesOf),
    removeIndex: (name) => store.removeIndex(name),
  };
  setKeyFunction(named, (object) => {
    const key = keyIn(store, object);
    return store.get(key) === object ? prefixed(cluster, key) : undefined;
  });
  return named;
}

function prefixed(cluster: string, key: string): string {
  return key.includes("/") ? `${cluster}/${key}` : `${cluster}//${key}`;
}
