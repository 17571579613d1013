import type { DeepReadonly } from "../../meta/object.js";
import { compareResourceVersions } from "../../meta/resource-version.js";
import type { Change, ChangeCause } from "./change.js";
import { metadataOf } from "./object-key.js";
import type { IndexFunction } from "./store-index.js";
import { createStoreIndexes } from "./store-indexes.js";
import type { StoreQuery } from "./store-query.js";
import { compileQuery } from "./store-query.js";

/** Read access to the objects of an informer. The objects are shared between all readers and must not be changed. */
export interface StoreReader<T> {
  /** Number of objects. */
  readonly size: number;
  /** Version of the collection that the store shows; absent before the first list. */
  readonly resourceVersion: string | undefined;
  /** The object with a key, `namespace/name` or the name alone for objects of the cluster. */
  get(key: string): DeepReadonly<T> | undefined;
  /** Whether there is an object with a key. */
  has(key: string): boolean;
  /** The keys, in no order that means anything. */
  keys(): IterableIterator<string>;
  /** The objects, without a copy: what changes while it is read may or may not be seen. */
  values(): IterableIterator<DeepReadonly<T>>;
  /** The objects that match, all of them by default. Equality in selectors, and namespaces, are answered by indexes. */
  list(query?: StoreQuery): DeepReadonly<T>[];
  /** The objects with a value in an index. Throws a `RangeError` for an index that was never added. */
  byIndex(index: string, value: string): DeepReadonly<T>[];
  /** The values of an index. Throws a `RangeError` for an index that was never added. */
  indexValues(index: string): string[];
  /** Adds an index, also while the informer runs. The same function may be added again; another one under the name is a `RangeError`. */
  addIndex(name: string, valuesOf: IndexFunction<DeepReadonly<T>>): void;
  /** Takes one adding of an index back; the index goes with the last. Nothing where there is none. */
  removeIndex(name: string): void;
}

/** What a list changed, and the store as it is to be after it. */
export interface PreparedReplace<T> {
  /** What is to be told: deletions first, then the list's order. */
  readonly changes: readonly Change<T>[];
  /** Makes the store show the list, in one step. */
  commit(): void;
}

/** A store with its writing side, which the informer keeps to itself. */
export interface Store<T> extends StoreReader<T> {
  /** Puts an object; answers with what changed: nothing, one change, or two where another object took the name. */
  put(key: string, object: T, cause: ChangeCause): readonly Change<T>[];
  /** Removes an object; `final` is its last state where that is known. */
  remove(key: string, final: T | undefined, cause: ChangeCause): readonly Change<T>[];
  /** Works out what a whole list changes, without showing any of it. `pause` gives the event loop its turns. */
  prepareReplace(
    objects: Map<string, T>,
    cause: ChangeCause,
    pause: () => Promise<void> | undefined,
  ): Promise<PreparedReplace<T>>;
  /** Notes the version that the store shows. */
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

/** Works out what a list changes: deletions first, then the list's order. An object that did not change takes the place of its copy in the list. */
async function compareWithList<T>(
  objects: ReadonlyMap<string, DeepReadonly<T>>,
  next: Map<string, DeepReadonly<T>>,
  cause: ChangeCause,
  options: {
    readonly pause: () => Promise<void> | undefined;
    /** Called with each object that the list leaves in the store. */
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
      // Consumers may compare by identity: an unchanged object stays the same one.
      if (found.length === 0) next.set(key, (kept = old));
    }
    onKept(key, kept);
  });
  return changes;
}

/** Values that are visited between two looks at the clock. */
const visitedAtOnce = 256;

/** Visits all values, with the event loop's turns in between. This is when a sync needs most memory: it leaves nothing behind for each value. */
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

/** Returns the changes when `next` takes the place of `old`. */
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
    // A watch that begins again may repeat what is known; only a list may show a server that lost history.
    if (cause === "live" && (compareResourceVersions(came, held) ?? 1) < 0) return nothing;
  }
  return [{ type: "updated", key, object: next, old, cause, initial: false }];
}
