import type { Clock } from "../../internal/clock.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { Persistence } from "../persist/persistence.js";
import type { BulkEncodingOptions } from "../reflector/adaptive-source.js";
import type { ReflectorOptions } from "../reflector/reflector-config.js";
import type { ChangeHandler } from "../store/change.js";
import type { StoreReader } from "../store/store.js";
import type { IndexFunction } from "../store/store-index.js";
import type { InformerMetrics } from "./informer-metrics.js";
import type { InformerStatus } from "./informer-status.js";
import type { Shard } from "./shard.js";
import type { Transform } from "./transform.js";

/** Options for `createInformer`. `T` is the type of the collection's objects, `R` the type of the retained ones. */
export interface InformerOptions<T, R = T> extends ReflectorOptions {
  /**
   * Retains only one shard of the collection, created with `createShard`. Objects that the server doesn't filter out are
   * dropped on arrival.
   */
  readonly shard?: Shard | undefined;
  /** Converts each object before it is stored, for example to save memory. Default: objects are stored unchanged. */
  readonly transform?: Transform<T, R> | undefined;
  /** Initial indexes by name; query them with `store.byIndex`. */
  readonly indexes?: Readonly<Record<string, IndexFunction<DeepReadonly<R>>>> | undefined;
  /**
   * Interval in milliseconds at which every object in the store is delivered again as `updated`, without a request.
   * Default 0: never.
   */
  readonly resyncMs?: number | undefined;
  /**
   * Reuses the unchanged parts of an object's previous state, if the codec supports it. Saves memory and makes equal
   * parts identical, at the cost of some CPU time per event. Ignored with a `transform`, which may modify its argument.
   * Default `false`.
   */
  readonly shareStructure?: boolean | undefined;
  /**
   * Thresholds from which the informer requests the client's `bulkCodec` (with `connect`, Protobuf, and JSON that stores
   * differences for custom resources) and decodes objects on first access; `false` stays with the client's codecs.
   * Ignored with a `transform`. Default: 2,000 objects, or 200 events per second.
   */
  readonly bulkEncoding?: BulkEncodingOptions | false | undefined;
  /**
   * Freezes retained objects, so that modifying a shared object throws. Default: true if `NODE_ENV` is `development` or
   * `test`; elsewhere only parts are frozen that are decoded lazily, because similar objects share them. `false`
   * freezes nothing, and each object then keeps all of its bytes.
   */
  readonly freeze?: boolean | undefined;
  /**
   * Receives errors thrown by handlers, index functions and the transform. The informer counts them and continues
   * either way.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Keeps the store between runs of the program: it is read when the informer starts, shown at once, and brought up to
   * date by a watch from its version. Created with `createPersistence`. Default: not kept.
   */
  readonly persistence?: Persistence | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Source of randomness. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Options for waiting on an informer. */
export interface WaitOptions {
  /**
   * Aborts the wait; the promise rejects with `signal.reason`. If the signal timed out (`AbortSignal.timeout`), it rejects
   * like after `timeoutMs`.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Timeout in milliseconds. The promise then rejects with the informer's last failure, or with a `KubestreamError` if
   * nothing failed. Default: no timeout.
   */
  readonly timeoutMs?: number | undefined;
}

/** Options for `addHandler`. */
export interface HandlerOptions {
  /** True to first deliver the current objects as `added` changes with `initial` set. Default `true`. */
  readonly replay?: boolean | undefined;
}

/** A registered handler. */
export interface HandlerRegistration {
  /** Number of changes that the handler hasn't received yet. */
  readonly lag: number;
  /**
   * Resolves when the handler has received all initial objects. Rejects like the informer's `synced`, and with a
   * `ClosedError` if the handler is removed.
   */
  synced(options?: WaitOptions): Promise<void>;
  /**
   * Removes the handler, which is then no longer called. Removing the last handler closes the connection, unless `start`
   * or a wait started the informer.
   */
  remove(): void;
}

/**
 * A live cache of a collection: it lists, watches and recovers from failures on its own until `close`. The first
 * handler starts it, and so do `start`, `synced` and `waitForResourceVersion`. Follow `status` and `metrics` to observe
 * it.
 *
 * @example
 * ```ts
 * import type { Informer } from "kubestream/cache";
 * import type { Pod } from "kubestream/kinds/core/v1";
 *
 * export function report({ description, status, store }: Informer<Pod>): string {
 *   const pending = store.list({ namespace: "web", fieldSelector: "status.phase=Pending" });
 *   return `${description} (${status.type}): ${store.size} pods, ${pending.length} pending in web`;
 * }
 * ```
 */
export interface Informer<T> extends AsyncDisposable {
  /** Name of the collection for messages, such as `pods in "apps"`. */
  readonly description: string;
  /** The cached objects. */
  readonly store: StoreReader<T>;
  /** Current activity. */
  readonly status: InformerStatus;
  /** True once the store has been filled by a complete list. */
  readonly hasSynced: boolean;
  /**
   * Last failure of a request, even if the informer has recovered since. Without one, the last error of a handler,
   * an index function or the transform.
   */
  readonly lastError: unknown;
  /** Snapshot of the counters. */
  readonly metrics: InformerMetrics;
  /**
   * Starts the informer and keeps it running without handlers until `close`. Throws a `ClosedError` if it is closed.
   */
  start(): void;
  /**
   * Resolves when the store is filled. Starts the informer if it isn't running. Rejects with the `StatusError` if the
   * server refuses twice in a row (401, 403 or 404) or doesn't accept the request (400 or 422, such as for an invalid
   * selector), and with a `ClosedError` if the informer is closed.
   */
  synced(options?: WaitOptions): Promise<void>;
  /**
   * Resolves when the store has reached a version, by an event or a bookmark. Starts the informer if it isn't running.
   * Rejects with a `RangeError` for a version that cannot be compared.
   */
  waitForResourceVersion(version: string, options?: WaitOptions): Promise<void>;
  /**
   * Calls `handler` with each change, starting with the current objects. Throws a `ClosedError` if the informer is
   * closed.
   */
  addHandler(handler: ChangeHandler<T>, options?: HandlerOptions): HandlerRegistration;
  /** Calls `handler` with each status from the next change on. */
  onStatus(handler: (status: InformerStatus) => void): {
    /** Removes the handler. */
    remove(): void;
  };
  /** Closes the informer for good. Resolves when its connection is closed. */
  close(): Promise<void>;
}
