import type { ListWatch } from "../../client/resource/collection.js";
import { ClosedError } from "../../errors/errors.js";
import { quietly } from "../../internal/quietly.js";
import type { StoreReader } from "../store/store.js";
import type { IndexFunction } from "../store/store-index.js";
import { createInformer } from "./create-informer.js";
import type { Informer, InformerOptions } from "./informer.js";
import { createInformerPart } from "./informer-part.js";

/** What may be said of a collection that is to be shared. */
export interface SharedInformerOptions<T, R = T> extends InformerOptions<T, R> {
  /** Sets informers apart that retain something else; those with equal names and selectors are one. Default `""`. */
  readonly projection?: string;
}

/** Informers that any number of users share: one for each resource, scope, selectors and projection. */
export interface InformerFactory extends AsyncDisposable {
  /** Number of informers that are held. */
  readonly size: number;
  /**
   * The informer of a collection, to be closed like one's own; the last to close it ends it. Options other than
   * selectors, projection and indexes are those of the first to ask; an index goes with the last who asked for it. Throws a `TypeError` for a transform without a projection.
   */
  informer<T, R = T>(source: ListWatch<T>, options?: SharedInformerOptions<T, R>): Informer<R>;
  /** Ends all informers. */
  close(): Promise<void>;
}

/** Makes a factory. `defaults` hold for all its informers. */
export function createInformerFactory(
  defaults: Omit<InformerOptions<unknown>, "transform" | "indexes"> = {},
): InformerFactory {
  const entries = new Map<string, { readonly informer: Informer<unknown>; users: number }>();
  // Of collections that nobody holds any more nothing is kept.
  const scopes = new WeakMap<object, number>();
  let scopesSeen = 0;
  let closed = false;

  /** What makes two informers the same. A collection that says nothing of itself is like no other object. */
  const keyOf = (source: ListWatch<unknown>, options: SharedInformerOptions<unknown>): string => {
    const scope = source.cacheScope ?? source;
    if (!scopes.has(scope)) scopes.set(scope, scopesSeen++);
    const { labelSelector, fieldSelector, shardSelector, projection, shard, decode } = options;
    return JSON.stringify([
      scopes.get(scope),
      source.cacheKey ?? source.description,
      labelSelector ?? "",
      fieldSelector ?? "",
      shardSelector ?? "",
      shard ?? null,
      projection ?? "",
      decode?.managedFields ?? "keep",
    ]);
  };

  const factory: InformerFactory = {
    get size() {
      return entries.size;
    },
    informer<T, R = T>(source: ListWatch<T>, options: SharedInformerOptions<T, R> = {}): Informer<R> {
      if (closed) throw new ClosedError("the informer factory was closed");
      if (options.transform !== undefined && options.projection === undefined) {
        throw new TypeError("a shared informer with a transform needs a projection: a name for what it retains");
      }
      const key = keyOf(source, { ...defaults, ...options } as SharedInformerOptions<unknown>);
      let entry = entries.get(key);
      if (entry === undefined) {
        entry = {
          informer: createInformer(source, { ...defaults, ...options }) as unknown as Informer<unknown>,
          users: 0,
        };
        entries.set(key, entry);
      } else addIndexes(entry.informer.store, options.indexes ?? {});
      const shared = entry;
      shared.users++;
      const { onError } = { ...defaults, ...options };
      const onClose = async (): Promise<void> => {
        if (--shared.users > 0 || entries.get(key) !== shared) {
          for (const name of Object.keys(options.indexes ?? {})) shared.informer.store.removeIndex(name);
          return;
        }
        entries.delete(key);
        await shared.informer.close();
      };
      return createInformerPart(shared.informer, onClose, quietly(onError)) as unknown as Informer<R>;
    },
    async close() {
      closed = true;
      const all = [...entries.values()];
      entries.clear();
      await Promise.all(all.map(({ informer }) => informer.close()));
    },
    [Symbol.asyncDispose]: () => factory.close(),
  };
  return factory;
}

/** Adds all indexes or none. */
function addIndexes<R>(store: StoreReader<R>, indexes: Readonly<Record<string, IndexFunction<never>>>): void {
  const added: string[] = [];
  try {
    for (const [name, valuesOf] of Object.entries(indexes)) {
      store.addIndex(name, valuesOf as IndexFunction<unknown>);
      added.push(name);
    }
  } catch (error) {
    for (const name of added) store.removeIndex(name);
    throw error;
  }
}
