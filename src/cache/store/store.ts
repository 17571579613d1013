import type { DeepReadonly } from "../../meta/object.js";
import { compareResourceVersions } from "../../meta/resource-version.js";
import type { Change, ChangeCause } from "./change.js";
import { metadataOf } from "./object-key.js";
import type { IndexFunction } from "./store-index.js";
import { createStoreIndexes } from "./store-indexes.js";
import type { StoreQuery } from "./store-query.js";
import { compileQuery } from "./store-query.js";

/**
 * Read access to the cached objects of an informer. Objects are shared by all readers and must not be modified.
 *
 * @example
 * ```ts
 * import { createInformer } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const informer = createInformer(client.resource(Pod), {
 *   indexes: { node: (pod) => (pod.spec?.nodeName === undefined ? [] : [pod.spec.nodeName]) },
 * });
 * await informer.synced();
 * console.log(informer.store.get("web/web-0")?.status?.phase);
 * console.log(informer.store.byIndex("node", "worker-1").length);
 * console.log(informer.store.list({ namespace: "web", labelSelector: "app=shop" }).length);
 * ```
 */
export interface StoreReader<T> {
  /** Number of objects. */
  readonly size: number;
  /** Version of the collection that the store shows; absent before the first list. */
  readonly resourceVersion: string | undefined;
  /** Returns the object with a key: `namespace/name`, or `name` for cluster-scoped objects. */
  get(key: string): DeepReadonly<T> | undefined;
  /** Returns true if the store has an object with this key. */
  has(key: string): boolean;
  /** Iterates over the keys in no particular order. */
  keys(): IterableIterator<string>;
  /** Iterates over the objects without copying them. Changes during the iteration may or may not be visible. */
  values(): IterableIterator<DeepReadonly<T>>;
  /**
   * Returns the objects that match a query; all of them by default. Namespaces and equality in selectors are looked up
   * in indexes.
   */
  list(query?: StoreQuery): DeepReadonly<T>[];
  /** Returns the objects with a value in an index. Throws a `RangeError` for an unknown index. */
  byIndex(index: string, value: string): DeepReadonly<T>[];
  /** Returns the values of an index. Throws a `RangeError` for an unknown index. */
  indexValues(index: string): string[];
  /**
   * Adds an index; the informer may already be running. The same function can be added several times. A different
   * function under the same name throws a `RangeError`.
   */
  addIndex(name: string, valuesOf: IndexFunction<DeepReadonly<T>>): void;
  /** Undoes one `addIndex`; the last one removes the index. Does nothing for an unknown index. */
  removeIndex(name: string): void;
}

/** Changes caused by a list that isn't visible yet. */
export interface PreparedReplace<T> {
  /** Changes to deliver: deletions first, then in the order of the list. */
  readonly changes: readonly Change<T>[];
  /** Makes the list visible, in one step. */
  commit(): void;
}

/** Store with its write methods, which only the informer uses. */
export interface Store<T> extends StoreReader<T> {
  /**
   * Stores an object. Returns the changes: none, one, or two if the object was deleted and re-created under the same
   * name.
   */
  put(key: string, object: T, cause: ChangeCause): readonly Change<T>[];
  /** Removes an object. `final` is its last state, if known. */
  remove(key: string, final: T | undefined, cause: ChangeCause): readonly Change<T>[];
  /** Computes the changes that a complete list causes, without making it visible. `pause` yields to the event loop. */
  prepareReplace(
    objects: Map<string, T>,
    cause: ChangeCause,
    pause: () => Promise<void> | undefined,
  ): Promise<PreparedReplace<T>>;
  /** Records the version that the store shows. */
  setResourceVersion(version: string): void;
}

const nothing: readonly never[] = [];

/** Creates an empty store. Errors of index functions go to `onError`. */
export function createStore<T>(onError: (error: unknown, key: string) => void): Store<T> {
  type R = DeepReadonly<T>;
  let objects = new Map<string, R>();
  let resourceVersion: string | undefined;
  const indexes = createStoreIndexes<R>(() => objects, onError);
  const byKeys = (keys: Iterable<string>): R[] =>
    Array.from(keys, (key) => objects.get(key)).filter((object) => object !== undefined);

  return {
    get size() {
      return objects.size;
    },
    get resourceVersion() {
      return resourceVersion;
    },
    get: (key) => objects.get(key),
    has: (key) => objects.has(key),
    keys: () => objects.keys(),
    values: () => objects.values(),
    list(query) {
      if (query === undefined) return [...objects.values()];
      const { matches, lookups } = compileQuery<R>(query);
      const keys = indexes.narrowest(lookups);
      return (keys === undefined ? [...objects.values()] : byKeys(keys)).filter(matches);
    },
    byIndex: (name, value) => byKeys(indexes.get(name).keys(value)),
    indexValues: (name) => [...indexes.get(name).values()],
    addIndex: indexes.add,
    removeIndex: indexes.remove,
    setResourceVersion(version) {
      resourceVersion = version;
    },
    put(key, object, cause) {
      const next = object as R;
      const old = objects.get(key);
      const changes = changed<T>(key, old, next, cause);
      if (changes.length > 0) {
        objects.set(key, next);
        indexes.update(key, old, next);
      }
      return changes;
    },
    remove(key, final, cause) {
      const old = objects.get(key);
      if (old === undefined) return nothing;
      objects.delete(key);
      indexes.update(key, old, undefined);
      const object = (final as R | undefined) ?? old;
      return [{ type: "deleted", key, object, finalStateUnknown: final === undefined, cause, initial: false }];
    },
    async prepareReplace(listed, cause, pause) {
      const next = listed as Map<string, R>;
      const prepared = indexes.prepare();
      const changes = await compareWithList<T>(objects, next, cause, {
        pause,
        onKept: (key, object) => prepared.add(key, object),
      });
      return {
        changes,
        commit() {
          prepared.commit(next);
          objects = next;
        },
      };
    },
  };
}

/**
 * Computes the changes that a list causes: deletions first, then in the order of the list. An unchanged object replaces
 * its copy in the list.
 */
async function compareWithList<T>(
  objects: ReadonlyMap<string, DeepReadonly<T>>,
  next: Map<string, DeepReadonly<T>>,
  cause: ChangeCause,
  options: {
    readonly pause: () => Promise<void> | undefined;
    /** Called with each object that remains in the store. */
    readonly onKept: (key: string, object: DeepReadonly<T>) => void;
  },
): Promise<readonly Change<T>[]> {
  const { pause, onKept } = options;
  const changes: Change<T>[] = [];
  await visitInTurns(objects.keys(), pause, (key) => {
    if (next.has(key)) return;
    const object = objects.get(key)!;
    changes.push({ type: "deleted", key, object, finalStateUnknown: true, cause, initial: false });
  });
  await visitInTurns(next.keys(), pause, (key) => {
    const object = next.get(key)!;
    const old = objects.get(key);
    let kept: DeepReadonly<T> = object;
    if (old === undefined) changes.push({ type: "added", key, object, cause, initial: cause === "list" });
    else {
      const found = changed<T>(key, old, object, cause);
      for (const change of found) changes.push(change);
      // Consumers may compare by identity: an unchanged object stays the same instance.
      if (found.length === 0) next.set(key, (kept = old));
    }
    onKept(key, kept);
  });
  return changes;
}

/** Values to visit between two checks of the clock. */
const visitedAtOnce = 256;

/**
 * Visits all values and yields to the event loop in between. A sync needs the most memory here, so nothing is allocated
 * per value.
 */
async function visitInTurns<V>(
  values: Iterator<V>,
  pause: () => Promise<void> | undefined,
  visit: (value: V) => void,
): Promise<void> {
  while (visitSome(values, visit)) {
    const rest = pause();
    if (rest !== undefined) await rest;
  }
}

function visitSome<V>(values: Iterator<V>, visit: (value: V) => void): boolean {
  for (let i = 0; i < visitedAtOnce; i++) {
    const next = values.next();
    if (next.done === true) return false;
    visit(next.value);
  }
  return true;
}

/** Returns the changes when `next` replaces `old`. */
function changed<T>(
  key: string,
  old: DeepReadonly<T> | undefined,
  next: DeepReadonly<T>,
  cause: ChangeCause,
): readonly Change<T>[] {
  const initial = cause === "list";
  if (old === undefined) return [{ type: "added", key, object: next, cause, initial }];
  const before = metadataOf(old);
  const after = metadataOf(next);
  if (before?.uid !== after?.uid) {
    return [
      { type: "deleted", key, object: old, finalStateUnknown: true, cause, initial: false },
      { type: "added", key, object: next, cause, initial },
    ];
  }
  const [held, came] = [before?.resourceVersion, after?.resourceVersion];
  if (held !== undefined && came !== undefined) {
    if (held === came) return nothing;
    // A resumed watch may repeat known events. Only a list may show that the server lost history.
    if (cause === "live" && (compareResourceVersions(came, held) ?? 1) < 0) return nothing;
  }
  return [{ type: "updated", key, object: next, old, cause, initial: false }];
}
