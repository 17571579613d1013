import { type Clock, systemClock } from "../../internal/clock.js";
import { QueuedItems, type WorkItem, type WorkQueueMetrics } from "./queued-items.js";
import { defaultControllerRateLimiter, type RateLimiter } from "./rate-limiters.js";

/** Priority of work that isn't urgent: the initial objects after a start, and resyncs. */
export const lowPriority = -100;

/** Options for `createWorkQueue`. */
export interface WorkQueueOptions<T> {
  /**
   * Returns the identity of an item; items with the same key are the same. Default: the item itself, which suits
   * strings.
   */
  readonly keyOf?: ((item: T) => unknown) | undefined;
  /** Rate limiter for `addRateLimited`; it receives the keys of items. Default `defaultControllerRateLimiter()`. */
  readonly rateLimiter?: RateLimiter<unknown> | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Options for adding an item. */
export interface AddOptions {
  /**
   * Priority of the item. Higher ones are handed out first, and equal ones in order. If an item is added twice, the
   * higher priority counts. Default 0.
   */
  readonly priority?: number | undefined;
}

/**
 * A queue without duplicates, which hands an item to one worker at a time. An item that is added while it is processed
 * is handed out again after `done`.
 */
export interface WorkQueue<T> {
  /** Number of items that are ready. */
  readonly length: number;
  /** True after `shutDown`: the queue ignores new items. */
  readonly shuttingDown: boolean;
  /** Snapshot of the metrics. */
  readonly metrics: WorkQueueMetrics;
  /** Adds an item unless it is already waiting. Ignored after a shutdown. */
  add(item: T, options?: AddOptions): void;
  /**
   * Adds an item after `delayMs`. If the item is already delayed, the earlier time counts. A delay of zero or less adds
   * it immediately. Throws a `RangeError` for NaN.
   */
  addAfter(item: T, delayMs: number, options?: AddOptions): void;
  /** Adds an item after the delay of the rate limiter, at least `minDelayMs`. Returns the delay in milliseconds. */
  addRateLimited(item: T, options?: AddOptions & { readonly minDelayMs?: number | undefined }): number;
  /** Resets the failures of an item in the rate limiter. The item stays in the queue. */
  forget(item: T): void;
  /** Returns the number of failures of an item since the last `forget`. */
  numRequeues(item: T): number;
  /**
   * Resolves with the next item as soon as one is ready, or with `undefined` if the queue is shut down and empty. Call
   * `done` when the item is processed. If the signal aborts, it rejects with `signal.reason`.
   */
  get(options?: { readonly signal?: AbortSignal | undefined }): Promise<WorkItem<T> | undefined>;
  /** Reports that the processing of an item has ended, successfully or not. */
  done(item: T): void;
  /** Hands out no items until `resume`. Items can still be added. Without effect after `shutDown`. */
  pause(): void;
  /** Hands out items again after `pause`. */
  resume(): void;
  /** Shuts the queue down: new and delayed items are dropped, ready ones are still handed out. */
  shutDown(): void;
  /**
   * Shuts the queue down and resolves when every item is processed. If the signal aborts, it rejects with
   * `signal.reason`.
   */
  shutDownWithDrain(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

/**
 * Creates an empty work queue. It follows client-go's workqueue and adds priorities.
 *
 * @example
 * ```ts
 * import { createWorkQueue } from "kubestream/controller";
 *
 * const queue = createWorkQueue<string>();
 * queue.add("web/a");
 * queue.addAfter("web/b", 1_000);
 * const next = await queue.get();
 * if (next !== undefined) {
 *   console.log(next.item, next.priority);
 *   queue.forget(next.item);
 *   queue.done(next.item);
 * }
 * queue.shutDown();
 * ```
 */
export function createWorkQueue<T>(options: WorkQueueOptions<T> = {}): WorkQueue<T> {
  const { keyOf = (item: T): unknown => item, clock = systemClock } = options;
  const rateLimiter = options.rateLimiter ?? defaultControllerRateLimiter<unknown>({ clock });
  const items = new QueuedItems<T>(keyOf, clock);
  let retries = 0;
  const queue: WorkQueue<T> = {
    get length() {
      return items.length;
    },
    get shuttingDown() {
      return items.shuttingDown;
    },
    get metrics() {
      return { ...items.metrics, retries };
    },
    add: (item, { priority = 0 } = {}) => items.add(item, priority),
    addAfter(item, delayMs, { priority = 0 } = {}) {
      items.addAfter(item, delayMs, priority);
      if (!items.shuttingDown) retries++;
    },
    addRateLimited(item, { minDelayMs = 0, ...add } = {}) {
      const delayMs = Math.max(minDelayMs, rateLimiter.when(keyOf(item)));
      queue.addAfter(item, delayMs, add);
      return delayMs;
    },
    forget: (item) => rateLimiter.forget(keyOf(item)),
    numRequeues: (item) => rateLimiter.numRequeues(keyOf(item)),
    get: ({ signal } = {}) => items.get(signal),
    done: (item) => items.done(item),
    pause: () => items.setPaused(true),
    resume: () => items.setPaused(false),
    shutDown: () => items.shutDown(),
    shutDownWithDrain({ signal } = {}) {
      items.shutDown();
      return items.drained(signal);
    },
  };
  return queue;
}
