import type { Clock } from "../../internal/clock.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { ReflectorOptions } from "../reflector/reflector-config.js";
import type { ChangeHandler } from "../store/change.js";
import type { StoreReader } from "../store/store.js";
import type { IndexFunction } from "../store/store-index.js";
import type { InformerMetrics } from "./informer-metrics.js";
import type { InformerStatus } from "./informer-status.js";
import type { Shard } from "./shard.js";
import type { Transform } from "./transform.js";

/** Options of `createInformer`. */
export interface InformerOptions<T, R = T> extends ReflectorOptions {
  /** Keep only one of several parts of the collection. What the server does not leave out is left out before it is retained. */
  readonly shard?: Shard;
  /** Makes what is retained of each object before it is. Default: the object as it came. */
  readonly transform?: Transform<T, R>;
  /** Indexes to begin with, by their names. */
  readonly indexes?: Readonly<Record<string, IndexFunction<DeepReadonly<R>>>>;
  /** Tells every object again as `updated`, from the store and without a request, each so many milliseconds. Default 0: never. */
  readonly resyncMs?: number;
  /**
   * Uses unchanged parts of an object's last state again for the next, where the codec can: less memory, and equal parts
   * are identical, for some CPU time with each event. Default `false`; never with a `transform`, which may change what it is given.
   */
  readonly shareStructure?: boolean;
  /** Freezes what is retained, so that changing a shared object throws. Default: under `NODE_ENV` `development` and `test`. */
  readonly freeze?: boolean;
  /** Told what handlers, index functions and the transform throw. They stop nothing, and are counted all the same. */
  readonly onError?: (error: unknown) => void;
  /** Where time comes from. Default: the system. */
  readonly clock?: Clock;
  /** Where chance comes from, as `Math.random` (default). */
  readonly random?: () => number;
}

/** How long to wait for an informer. */
export interface WaitOptions {
  /** Ends the wait: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Ends the wait after so many milliseconds: it rejects with the last failure the informer met. Default: no limit. */
  readonly timeoutMs?: number;
}

/** Options of `addHandler`. */
export interface HandlerOptions {
  /** Whether the present is told first, as `added` with `initial` set. Default `true`. */
  readonly replay?: boolean;
}

/** A handler that was added. */
export interface HandlerRegistration {
  /** Number of changes that the handler was not given yet. */
  readonly lag: number;
  /** Resolves when the handler was given all of the present; rejects as the informer's `synced` does, and with a `ClosedError` once it is removed. */
  synced(options?: WaitOptions): Promise<void>;
  /** Removes the handler: it is not called again. Removing the last one closes the connection, unless `start` was called. */
  remove(): void;
}

/**
 * A live copy of a collection. The first handler starts it, or `start`, `synced` and `waitForResourceVersion` do.
 * Failures never end it: it recovers by itself and shows in `status` what it is about.
 */
export interface Informer<T> extends AsyncDisposable {
  /** Names the collection, as `pods in "apps"`. */
  readonly description: string;
  /** The objects. */
  readonly store: StoreReader<T>;
  /** What it is doing. */
  readonly status: InformerStatus;
  /** Whether the store was ever filled. */
  readonly hasSynced: boolean;
  /** The last failure, whether or not it was overcome since. */
  readonly lastError: unknown;
  /** What it has done and met. */
  readonly metrics: InformerMetrics;
  /** Starts it, to run without handlers too until `close`. Throws a `ClosedError` after that. */
  start(): void;
  /** Resolves when the store is filled. Rejects with the Status if the server refuses twice in a row, and with a `ClosedError`. */
  synced(options?: WaitOptions): Promise<void>;
  /** Resolves when the store shows at least a version, whether by an event or a bookmark. Throws a `RangeError` for versions that cannot be ordered. */
  waitForResourceVersion(version: string, options?: WaitOptions): Promise<void>;
  /** Calls a handler with each change, the present first. Throws a `ClosedError` after `close`. */
  addHandler(handler: ChangeHandler<T>, options?: HandlerOptions): HandlerRegistration;
  /** Calls a handler with each new status, not with the present one. */
  onStatus(handler: (status: InformerStatus) => void): {
    /** Removes the handler. */
    remove(): void;
  };
  /** Ends it for good; resolves when its connection is closed. */
  close(): Promise<void>;
}
