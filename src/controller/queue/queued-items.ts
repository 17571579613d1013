import type { Clock, Timer } from "../../internal/clock.js";
import { createHeap, type Heap, type HeapNode } from "../../internal/heap.js";
import { createWaitList } from "../../internal/streams/wait-list.js";
import { createDurationCounter, type DurationStats, queueBuckets } from "./duration-stats.js";

/** An item handed out by a queue. */
export interface WorkItem<T> {
  /** The item. */
  readonly item: T;
  /** Priority of the item. */
  readonly priority: number;
}

/** Counters and gauges of a work queue, as plain numbers. */
export interface WorkQueueMetrics {
  /** Items that are ready to be handed out. */
  readonly depth: number;
  /** Ready items by priority. */
  readonly depthByPriority: Readonly<Record<number, number>>;
  /** Items that wait for their delay to pass. */
  readonly delayed: number;
  /** Items that are being processed. */
  readonly processing: number;
  /** Items added, without duplicates of waiting items. */
  readonly adds: number;
  /** Items added by `addRateLimited` or `addAfter`, like client-go's `workqueue_retries_total`. */
  readonly retries: number;
  /** Time that items were ready before they were handed out. */
  readonly latency: DurationStats;
  /** Time that items were processed. */
  readonly workDuration: DurationStats;
  /** Processing time of the oldest running item in milliseconds; 0 if no item is running. */
  readonly longestRunningMs: number;
  /** Sum of the processing times of all running items in milliseconds. */
  readonly unfinishedWorkMs: number;
}

interface Entry<T> {
  readonly key: unknown;
  item: T;
  priority: number;
  /** True if the item waits to be handed out or, while it is processed, to become ready again. */
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

/** The items of a queue: ready, delayed and being processed. */
export class QueuedItems<T> {
  shuttingDown = false;
  readonly #keyOf: (item: T) => unknown;
  readonly #clock: Clock;
  readonly #entries = new Map<unknown, Entry<T>>();
  readonly #processing = new Set<Entry<T>>();
  readonly #ready: Heap<ReadyNode<T>> = createHeap(
    ({ entry: a }, { entry: b }) => a.priority > b.priority || (a.priority === b.priority && a.order < b.order),
  );
  readonly #later: Heap<LaterNode<T>> = createHeap((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  readonly #depths = new Map<number, number>();
  readonly #latency = createDurationCounter(queueBuckets);
  readonly #workDuration = createDurationCounter(queueBuckets);
  readonly #getters = createWaitList<WorkItem<T> | undefined>();
  readonly #drainers = createWaitList<void>();
  #timer: { readonly at: number; readonly timer: Timer } | undefined;
  #order = 0;
  #adds = 0;
  #paused = false;

  constructor(keyOf: (item: T) => unknown, clock: Clock) {
    this.#keyOf = keyOf;
    this.#clock = clock;
  }

  get length(): number {
    return this.#ready.size;
  }

  get metrics(): Omit<WorkQueueMetrics, "retries"> {
    const now = this.#clock.monotonic();
    const running = Array.from(this.#processing, (entry) => now - entry.startedAt);
    return {
      depth: this.#ready.size,
      depthByPriority: Object.fromEntries(this.#depths),
      delayed: this.#later.size,
      processing: this.#processing.size,
      adds: this.#adds,
      latency: this.#latency.read(),
      workDuration: this.#workDuration.read(),
      longestRunningMs: running.reduce((longest, ms) => Math.max(longest, ms), 0),
      unfinishedWorkMs: running.reduce((sum, ms) => sum + ms, 0),
    };
  }

  add(item: T, priority: number): void {
    if (!this.shuttingDown) this.#addEntry(this.#entryOf(item), item, priority);
  }

  addAfter(item: T, delayMs: number, priority: number): void {
    if (Number.isNaN(delayMs)) throw new RangeError("delayMs must be a number, not NaN");
    if (this.shuttingDown) return;
    if (delayMs <= 0) {
      this.add(item, priority);
      return;
    }
    const entry = this.#entryOf(item);
    const node = entry.later;
    const at = this.#clock.monotonic() + delayMs;
    const isDelayed = node.heapIndex >= 0;
    node.priority = isDelayed ? Math.max(node.priority, priority) : priority;
    if (isDelayed && at >= node.at) return;
    if (!entry.dirty) entry.item = item;
    node.at = at;
    node.order = this.#order++;
    this.#later.place(node);
    this.#arm();
  }

  get(signal: AbortSignal | undefined): Promise<WorkItem<T> | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    if (this.#ready.size > 0 && !this.#paused) return Promise.resolve(this.#take());
    if (this.shuttingDown) return Promise.resolve(undefined);
    return this.#getters.wait(signal);
  }

  done(item: T): void {
    const entry = this.#entries.get(this.#keyOf(item));
    if (entry?.processing !== true) return;
    entry.processing = false;
    this.#processing.delete(entry);
    this.#workDuration.add(this.#clock.monotonic() - entry.startedAt);
    if (entry.dirty) this.#makeReady(entry);
    else this.#release(entry);
    this.#dispatch();
  }

  /** Hands out nothing, or goes on. */
  setPaused(paused: boolean): void {
    this.#paused = paused && !this.shuttingDown;
    this.#dispatch();
  }

  shutDown(): void {
    this.shuttingDown = true;
    this.#paused = false;
    const dropped: Entry<T>[] = [];
    for (let node = this.#later.peek(); node !== undefined; node = this.#later.peek()) {
      this.#later.remove(node);
      dropped.push(node.entry);
    }
    for (const entry of dropped) this.#release(entry);
    this.#arm();
    this.#dispatch();
  }

  /** Resolves when no item is ready or being processed. */
  drained(signal: AbortSignal | undefined): Promise<void> {
    return this.#ready.size === 0 && this.#processing.size === 0 ? Promise.resolve() : this.#drainers.wait(signal);
  }

  #entryOf(item: T): Entry<T> {
    const key = this.#keyOf(item);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = createEntry(key, item);
      this.#entries.set(key, entry);
    }
    return entry;
  }

  #release(entry: Entry<T>): void {
    if (!entry.dirty && !entry.processing && entry.later.heapIndex < 0) this.#entries.delete(entry.key);
  }

  #count(priority: number, by: number): void {
    const depth = (this.#depths.get(priority) ?? 0) + by;
    if (depth === 0) this.#depths.delete(priority);
    else this.#depths.set(priority, depth);
  }

  /** Appends an entry to the ready items of its priority. */
  #makeReady(entry: Entry<T>): void {
    entry.order = this.#order++;
    this.#count(entry.priority, 1);
    this.#ready.place(entry.ready);
  }

  #addEntry(entry: Entry<T>, item: T, priority: number): void {
    if (!entry.dirty) {
      this.#adds++;
      entry.dirty = true;
      entry.item = item;
      entry.priority = priority;
      entry.addedAt = this.#clock.monotonic();
      if (!entry.processing) this.#makeReady(entry);
    } else if (priority > entry.priority) {
      const isReady = !entry.processing;
      if (isReady) this.#count(entry.priority, -1);
      entry.priority = priority;
      if (isReady) this.#makeReady(entry);
    }
    this.#dispatch();
  }

  #take(): WorkItem<T> {
    const { entry } = this.#ready.peek()!;
    this.#ready.remove(entry.ready);
    this.#count(entry.priority, -1);
    const now = this.#clock.monotonic();
    this.#latency.add(now - entry.addedAt);
    entry.dirty = false;
    entry.processing = true;
    entry.startedAt = now;
    this.#processing.add(entry);
    return { item: entry.item, priority: entry.priority };
  }

  /** Hands ready items to waiting workers. */
  #dispatch(): void {
    while (!this.#paused && this.#getters.size > 0 && this.#ready.size > 0) this.#getters.resolveNext(this.#take());
    if (!this.shuttingDown || this.#ready.size > 0) return;
    this.#getters.resolveAll(undefined);
    if (this.#processing.size === 0) this.#drainers.resolveAll();
  }

  /** Sets the timer for the earliest delayed item. */
  #arm(): void {
    const first = this.#later.peek();
    if (this.#timer !== undefined && this.#timer.at === first?.at) return;
    this.#timer?.timer.cancel();
    const delayMs = Math.max(0, (first?.at ?? 0) - this.#clock.monotonic());
    this.#timer = first && { at: first.at, timer: this.#clock.setTimer(() => this.#onTime(), delayMs) };
  }

  #onTime(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let node = this.#later.peek(); node !== undefined && node.at <= now; node = this.#later.peek()) {
      this.#later.remove(node);
      this.#addEntry(node.entry, node.entry.item, node.priority);
    }
    this.#arm();
  }
}

function createEntry<T>(key: unknown, item: T): Entry<T> {
  const entry: { -readonly [K in keyof Entry<T>]: Entry<T>[K] } = {
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
  entry.ready = { entry, heapIndex: -1 };
  entry.later = { entry, heapIndex: -1, at: 0, order: 0, priority: 0 };
  return entry;
}
