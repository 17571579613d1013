import { onAbort } from "../../internal/abort.js";
import { type Clock, systemClock, type Timer } from "../../internal/clock.js";
import { createHeap, type HeapNode } from "../../internal/heap.js";
import { createDurationCounter, type DurationStats } from "./duration-stats.js";
import { defaultControllerRateLimiter, type RateLimiter } from "./rate-limiters.js";

/** Priority of what nobody waits for: the present at start, and resyncs. */
export const lowPriority = -100;

/** Options of `createWorkQueue`. */
export interface WorkQueueOptions<T> {
  /** What makes two items the same. Default: the item itself, which does for texts. */
  readonly keyOf?: (item: T) => unknown;
  /** How long items wait that are added after failures. Default `defaultControllerRateLimiter()`. It is given the keys of items. */
  readonly rateLimiter?: RateLimiter<unknown>;
  /** Where time comes from. Default: the real one. */
  readonly clock?: Clock;
}

/** How an item is added. */
export interface AddOptions {
  /** Items with more of it are handed out first; among equals the oldest. An item that is added twice has the greater one. Default 0. */
  readonly priority?: number;
}

/** An item that was handed out. */
export interface WorkItem<T> {
  /** The item. */
  readonly item: T;
  /** The priority that it had. */
  readonly priority: number;
}

/** What a queue has done, as plain numbers. */
export interface WorkQueueMetrics {
  /** Items that are ready and wait to be handed out. */
  readonly depth: number;
  /** The same by their priority. */
  readonly depthByPriority: Readonly<Record<number, number>>;
  /** Items whose time has not come. */
  readonly delayed: number;
  /** Items that were handed out and are not done. */
  readonly processing: number;
  /** Items added, those that were there already not among them. */
  readonly adds: number;
  /** Items added again after a failure. */
  readonly retries: number;
  /** How long items were ready before they were handed out. */
  readonly latency: DurationStats;
  /** How long items were worked on. */
  readonly workDuration: DurationStats;
  /** Milliseconds since the oldest item that is not done was handed out; 0 if there is none. */
  readonly longestRunningMs: number;
  /** The same of all of them together. */
  readonly unfinishedWorkMs: number;
}

/**
 * A queue of items of which each is there once, and never with two workers at a time: what is added while it is worked
 * on is handed out once more when it is done.
 */
export interface WorkQueue<T> {
  /** Number of items that are ready. */
  readonly length: number;
  /** Whether it takes nothing more. */
  readonly shuttingDown: boolean;
  /** What it has done. */
  readonly metrics: WorkQueueMetrics;
  /** Adds an item, unless it is there already. After a shutdown it is ignored. */
  add(item: T, options?: AddOptions): void;
  /** Adds an item after `delayMs`; of several times the earliest holds. A time that has passed adds it now. */
  addAfter(item: T, delayMs: number, options?: AddOptions): void;
  /** Adds an item after as long as the rate limiter says. Answers with the milliseconds. `minDelayMs` is the least it waits. */
  addRateLimited(item: T, options?: AddOptions & { readonly minDelayMs?: number }): number;
  /** Forgets the failures of an item. It stays in the queue. */
  forget(item: T): void;
  /** Failures of an item that were not forgotten. */
  numRequeues(item: T): number;
  /** The next item, as soon as there is one; nothing once the queue is shut down and empty. It must be followed by `done`. */
  get(options?: { readonly signal?: AbortSignal }): Promise<WorkItem<T> | undefined>;
  /** Tells that the work on an item has ended, however it did. */
  done(item: T): void;
  /** Takes nothing more, and drops what was to come later. What is ready is still handed out. */
  shutDown(): void;
  /** As `shutDown`; resolves when all is handed out and done. Rejects with the signal's reason. */
  shutDownWithDrain(options?: { readonly signal?: AbortSignal }): Promise<void>;
}

interface Entry<T> {
  readonly key: unknown;
  item: T;
  priority: number;
  /** Waits to be handed out, or, while it is worked on, to be ready again. */
  dirty: boolean;
  processing: boolean;
  order: number;
  addedAt: number;
  startedAt: number;
  readonly ready: ReadyNode<T>;
  readonly later: LaterNode<T>;
}

interface ReadyNode<T> extends HeapNode {
  readonly entry: Entry<T>;
}

interface LaterNode<T> extends HeapNode {
  readonly entry: Entry<T>;
  at: number;
  order: number;
  priority: number;
}

/** Makes an empty queue with the rules of client-go's, and with priorities. */
export function createWorkQueue<T>(options: WorkQueueOptions<T> = {}): WorkQueue<T> {
  const { keyOf = (item: T): unknown => item, clock = systemClock } = options;
  const rateLimiter = options.rateLimiter ?? defaultControllerRateLimiter<unknown>({ clock });
  const entries = new Map<unknown, Entry<T>>();
  const processing = new Set<Entry<T>>();
  const ready = createHeap<ReadyNode<T>>(
    ({ entry: a }, { entry: b }) => a.priority > b.priority || (a.priority === b.priority && a.order < b.order),
  );
  const later = createHeap<LaterNode<T>>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  const depths = new Map<number, number>();
  const latency = createDurationCounter();
  const workDuration = createDurationCounter();
  let getters: ((next: WorkItem<T> | undefined) => void)[] = [];
  let drainers: (() => void)[] = [];
  let timer: { readonly at: number; readonly timer: Timer } | undefined;
  let shuttingDown = false;
  let order = 0;
  let adds = 0;
  let retries = 0;

  const entryOf = (item: T): Entry<T> => {
    const key = keyOf(item);
    let entry = entries.get(key);
    if (entry === undefined) {
      const made: { -readonly [K in keyof Entry<T>]: Entry<T>[K] } = {
        key,
        item,
        priority: 0,
        dirty: false,
        processing: false,
        order: 0,
        addedAt: 0,
        startedAt: 0,
        ready: undefined as never,
        later: undefined as never,
      };
      made.ready = { entry: made, heapIndex: -1 };
      made.later = { entry: made, heapIndex: -1, at: 0, order: 0, priority: 0 };
      entry = made;
      entries.set(key, entry);
    }
    return entry;
  };
  const release = (entry: Entry<T>): void => {
    if (!entry.dirty && !entry.processing && entry.later.heapIndex < 0) entries.delete(entry.key);
  };
  const count = (priority: number, by: number): void => {
    const depth = (depths.get(priority) ?? 0) + by;
    if (depth === 0) depths.delete(priority);
    else depths.set(priority, depth);
  };
  const line = (entry: Entry<T>): void => {
    entry.order = order++;
    count(entry.priority, 1);
    ready.place(entry.ready);
  };

  /** Hands out what is ready to those who wait for it. */
  const dispatch = (): void => {
    while (getters.length > 0 && ready.size > 0) getters.shift()!(take());
    if (!shuttingDown) return;
    if (ready.size === 0) for (const resolve of getters.splice(0)) resolve(undefined);
    if (ready.size === 0 && processing.size === 0) for (const resolve of drainers.splice(0)) resolve();
  };

  const take = (): WorkItem<T> => {
    const { entry } = ready.peek()!;
    ready.remove(entry.ready);
    count(entry.priority, -1);
    const now = clock.monotonic();
    latency.add(now - entry.addedAt);
    entry.dirty = false;
    entry.processing = true;
    entry.startedAt = now;
    processing.add(entry);
    return { item: entry.item, priority: entry.priority };
  };

  const enter = (entry: Entry<T>, item: T, priority: number): void => {
    if (!entry.dirty) {
      adds++;
      entry.dirty = true;
      entry.item = item;
      entry.priority = priority;
      entry.addedAt = clock.monotonic();
      if (!entry.processing) line(entry);
    } else if (priority > entry.priority) {
      const lined = !entry.processing;
      if (lined) count(entry.priority, -1);
      entry.priority = priority;
      if (lined) line(entry);
    }
    dispatch();
  };

  const arm = (): void => {
    const first = later.peek();
    if (timer !== undefined && timer.at === first?.at) return;
    timer?.timer.cancel();
    timer = first && { at: first.at, timer: clock.setTimer(onTime, Math.max(0, first.at - clock.monotonic())) };
  };
  const onTime = (): void => {
    timer = undefined;
    const now = clock.monotonic();
    for (let node = later.peek(); node !== undefined && node.at <= now; node = later.peek()) {
      later.remove(node);
      enter(node.entry, node.entry.item, node.priority);
    }
    arm();
  };

  const queue: WorkQueue<T> = {
    get length() {
      return ready.size;
    },
    get shuttingDown() {
      return shuttingDown;
    },
    get metrics() {
      const now = clock.monotonic();
      const running = Array.from(processing, (entry) => now - entry.startedAt);
      return {
        depth: ready.size,
        depthByPriority: Object.fromEntries(depths),
        delayed: later.size,
        processing: processing.size,
        adds,
        retries,
        latency: latency.read(),
        workDuration: workDuration.read(),
        longestRunningMs: running.reduce((longest, ms) => Math.max(longest, ms), 0),
        unfinishedWorkMs: running.reduce((sum, ms) => sum + ms, 0),
      };
    },
    add(item, { priority = 0 } = {}) {
      if (!shuttingDown) enter(entryOf(item), item, priority);
    },
    addAfter(item, delayMs, { priority = 0 } = {}) {
      if (Number.isNaN(delayMs)) throw new RangeError("an item cannot wait for NaN milliseconds");
      if (shuttingDown) return;
      if (delayMs <= 0) {
        queue.add(item, { priority });
        return;
      }
      const entry = entryOf(item);
      const node = entry.later;
      const at = clock.monotonic() + delayMs;
      const waits = node.heapIndex >= 0;
      node.priority = waits ? Math.max(node.priority, priority) : priority;
      if (!waits || at < node.at) {
        if (!entry.dirty) entry.item = item;
        node.at = at;
        node.order = order++;
        later.place(node);
        arm();
      }
    },
    addRateLimited(item, { minDelayMs = 0, ...add } = {}) {
      const delayMs = Math.max(minDelayMs, rateLimiter.when(keyOf(item)));
      if (!shuttingDown) retries++;
      queue.addAfter(item, delayMs, add);
      return delayMs;
    },
    forget: (item) => rateLimiter.forget(keyOf(item)),
    numRequeues: (item) => rateLimiter.numRequeues(keyOf(item)),
    get({ signal } = {}) {
      if (signal?.aborted) return Promise.reject(signal.reason as Error);
      if (ready.size > 0) return Promise.resolve(take());
      if (shuttingDown) return Promise.resolve(undefined);
      return new Promise((resolve, reject) => {
        const getter = (next: WorkItem<T> | undefined): void => {
          unfollow?.();
          resolve(next);
        };
        const unfollow =
          signal &&
          onAbort(signal, () => {
            getters = getters.filter((other) => other !== getter);
            reject(signal.reason as Error);
          });
        getters.push(getter);
      });
    },
    done(item) {
      const entry = entries.get(keyOf(item));
      if (entry?.processing !== true) return;
      entry.processing = false;
      processing.delete(entry);
      workDuration.add(clock.monotonic() - entry.startedAt);
      if (entry.dirty) line(entry);
      else release(entry);
      dispatch();
    },
    shutDown() {
      shuttingDown = true;
      const dropped: Entry<T>[] = [];
      for (let node = later.peek(); node !== undefined; node = later.peek()) {
        later.remove(node);
        dropped.push(node.entry);
      }
      for (const entry of dropped) release(entry);
      arm();
      dispatch();
    },
    shutDownWithDrain({ signal } = {}) {
      queue.shutDown();
      if (ready.size === 0 && processing.size === 0) return Promise.resolve();
      if (signal?.aborted) return Promise.reject(signal.reason as Error);
      return new Promise((resolve, reject) => {
        const drainer = (): void => {
          unfollow?.();
          resolve();
        };
        const unfollow =
          signal &&
          onAbort(signal, () => {
            drainers = drainers.filter((other) => other !== drainer);
            reject(signal.reason as Error);
          });
        drainers.push(drainer);
      });
    },
  };
  return queue;
}
