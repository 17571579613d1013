import type { ListerWatcher } from "../../client/resource/collection.js";
import { ClosedError } from "../../errors/errors.js";
import { defined } from "../../internal/defined.js";
import { quietly } from "../../internal/quietly.js";
import type { StoreReader } from "../store/store.js";
import type { IndexFunction } from "../store/store-index.js";
import { createCollectionKeys } from "./collection-keys.js";
import { createInformer } from "./create-informer.js";
import type { Informer, InformerOptions } from "./informer.js";
import { createInformerPart } from "./informer-part.js";

/** Options for a shared informer. */
export interface SharedInformerOptions<T, R = T> extends InformerOptions<T, R> {
  /**
   * Name for the data that the informer retains. Informers with the same selectors and a different projection aren't
   * shared. Required with `transform`. Default `""`.
   */
  readonly projection?: string | undefined;
}

/**
 * Creates informers that are shared: callers that request the same collection, selectors and projection use one watch.
 */
export interface InformerFactory extends AsyncDisposable {
  /** Number of open informers. */
  readonly size: number;
  /** The open informers, each once however many callers share it. Use them to read metrics, and don't close them. */
  readonly informers: readonly Informer<unknown>[];
  /**
   * Returns a handle to the shared informer of a collection. Close it like an informer of your own; closing the last
   * handle ends the watch.
   *
   * Options other than selectors, projection and indexes are taken from the first caller. An index is removed when the
   * last caller that added it closes. Throws a `TypeError` if `transform` is set without `projection`.
   */
  informer<T, R = T>(source: ListerWatcher<T>, options?: SharedInformerOptions<T, R>): Informer<R>;
  /** Closes all informers. */
  close(): Promise<void>;
}

/**
 * Creates an informer factory. `defaults` apply to all its informers.
 *
 * @example
 * ```ts
 * import { createInformerFactory } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const factory = createInformerFactory({ onError: console.error });
 * const first = factory.informer(client.resource(Pod));
 * const second = factory.informer(client.resource(Pod)); // the same watch and store
 * await second.synced();
 * await first.close(); // `second` still runs
 * await factory.close();
 * ```
 */
export function createInformerFactory(
  defaults: Omit<InformerOptions<unknown>, "transform" | "indexes"> = {},
): InformerFactory {
  const entries = new Map<string, { readonly informer: Informer<unknown>; users: number }>();
  const keyOf = createCollectionKeys();
  let closed = false;

  const factory: InformerFactory = {
    get size() {
      return entries.size;
    },
    get informers() {
      return Array.from(entries.values(), ({ informer }) => informer);
    },
    informer<T, R = T>(source: ListerWatcher<T>, options: SharedInformerOptions<T, R> = {}): Informer<R> {
      if (closed) throw new ClosedError("the informer factory is closed");
      if (options.transform !== undefined && options.projection === undefined) {
        throw new TypeError("options.projection is required when options.transform is set: name the retained data");
      }
      const merged = { ...defaults, ...defined(options) };
      const key = keyOf(source, merged);
      let entry = entries.get(key);
      if (entry === undefined) {
        entry = {
          informer: createInformer(source, merged) as unknown as Informer<unknown>,
          users: 0,
        };
        entries.set(key, entry);
      } else addIndexes(entry.informer.store, options.indexes ?? {});
      const shared = entry;
      shared.users++;
      const onClose = async (): Promise<void> => {
        if (--shared.users > 0 || entries.get(key) !== shared) {
          for (const name of Object.keys(options.indexes ?? {})) shared.informer.store.removeIndex(name);
          return;
        }
        entries.delete(key);
        await shared.informer.close();
      };
      return createInformerPart(shared.informer, onClose, quietly(merged.onError)) as unknown as Informer<R>;
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

/** Adds all indexes, or none if one of them is rejected. */
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
