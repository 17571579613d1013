import { type Clock, systemClock, type Timer, type TimerOptions } from "../../internal/clock.js";
import { createHeap, type HeapNode } from "../../internal/heap.js";

/**
 * Clock of a simulated cluster. Its time passes with real time or stands still, and `advance` skips ahead: timers on the
 * way fire in order, each at its own moment.
 */
export interface ClusterClock extends Clock {
  /** True if time stands still between calls of `advance`. */
  readonly virtual: boolean;
  /** While true, `advance` fires timers of upkeep each time, not once for a time in which nothing else is due. */
  exactUpkeep: boolean;
  /** Skips `ms` milliseconds, and calls `settle` before, between and after the moments at which timers fire. */
  advance(ms: number, settle: () => Promise<void>): Promise<void>;
  /**
   * Advances from timer to timer until `done` returns true, for at most `limitMs`. Returns true if it did.
   */
  advanceUntil(done: () => boolean, limitMs: number, settle: () => Promise<void>): Promise<boolean>;
  /** Sets the time of day back to `nowMs`. Timers and `monotonic` aren't affected. */
  rewind(nowMs: number): void;
  /** Cancels all timers. */
  stop(): void;
}

/** Options for `createClusterClock`. */
export interface ClusterClockOptions {
  /** True if time stands still between calls of `advance`. */
  readonly virtual: boolean;
  /** Time at the start, in milliseconds since the epoch. */
  readonly startMs: number;
  /** Called in each turn of the event loop that a timer without a delay waits for. */
  readonly onTurn?: (() => void) | undefined;
}

interface Entry extends HeapNode {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Timers in the order in which they are due. */
class TimerQueue {
  readonly #heap = createHeap<Entry>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  readonly #onChange: () => void;
  #order = 0;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Moment of the first timer; infinite without timers. */
  get dueAt(): number {
    return this.#heap.peek()?.at ?? Number.POSITIVE_INFINITY;
  }

  add(at: number, callback: () => void): Timer {
    const entry: Entry = { at, order: this.#order++, callback, heapIndex: -1 };
    this.#heap.place(entry);
    this.#onChange();
    return { cancel: () => this.#heap.remove(entry) };
  }

  /** Number of timers added so far. */
  get added(): number {
    return this.#order;
  }

  /**
   * Fires the first timer that is due at `now`, and others of the same moment. Skips timers added after the first
   * `added`. Returns false if none is due.
   */
  fireNext(now: number, added: number): boolean {
    const at = this.dueAt;
    let fired = false;
    for (let entry = this.#heap.peek(); entry !== undefined && entry.at === at; entry = this.#heap.peek()) {
      if (at > now || entry.order >= added) break;
      this.#heap.remove(entry);
      entry.callback();
      fired = true;
    }
    return fired;
  }

  clear(): void {
    this.#heap.clear();
  }
}

class SteppingClock implements ClusterClock {
  exactUpkeep = false;
  readonly virtual: boolean;
  #startMs: number;
  readonly #onTurn: (() => void) | undefined;
  readonly #startedAt = systemClock.monotonic();
  readonly #timers = new TimerQueue(() => this.#arm());
  readonly #upkeep = new TimerQueue(() => this.#arm());
  #skippedMs = 0;
  #advancing = 0;
  #alarm: Timer | undefined;
  #alarmAt = Number.POSITIVE_INFINITY;

  constructor({ virtual, startMs, onTurn }: ClusterClockOptions) {
    this.virtual = virtual;
    this.#startMs = startMs;
    this.#onTurn = onTurn;
  }

  now(): number {
    return this.#startMs + Math.floor(this.monotonic());
  }

  monotonic(): number {
    return this.#skippedMs + (this.virtual ? 0 : systemClock.monotonic() - this.#startedAt);
  }

  setTimer(callback: () => void, delayMs: number, options?: TimerOptions): Timer {
    // A delay of zero is a turn of the event loop, which comes whether time passes or not.
    if (delayMs <= 0) return systemClock.setTimer(this.#atTurn(callback), 0);
    return (options?.upkeep === true ? this.#upkeep : this.#timers).add(this.monotonic() + delayMs, callback);
  }

  #atTurn(callback: () => void): () => void {
    const onTurn = this.#onTurn;
    if (onTurn === undefined) return callback;
    return () => {
      onTurn();
      callback();
    };
  }

  async advance(ms: number, settle: () => Promise<void>): Promise<void> {
    const end = this.monotonic() + ms;
    await this.#step(() => false, end, settle);
    await this.#skipTo(end, settle);
  }

  advanceUntil(done: () => boolean, limitMs: number, settle: () => Promise<void>): Promise<boolean> {
    return this.#step(done, this.monotonic() + limitMs, settle);
  }

  rewind(nowMs: number): void {
    this.#startMs += nowMs - this.now();
  }

  stop(): void {
    this.#timers.clear();
    this.#upkeep.clear();
    this.#alarm?.cancel();
  }

  /** Skips from timer to timer until `done` returns true or the next timer is due after `end`. */
  async #step(done: () => boolean, end: number, settle: () => Promise<void>): Promise<boolean> {
    this.#advancing++;
    this.#alarm?.cancel();
    this.#alarmAt = Number.POSITIVE_INFINITY;
    try {
      for (;;) {
        await settle();
        if (done()) return true;
        const at = this.exactUpkeep ? Math.min(this.#timers.dueAt, this.#upkeep.dueAt) : this.#timers.dueAt;
        if (at > end) return false;
        await this.#skipTo(at, settle);
        this.#timers.fireNext(at, this.#timers.added);
      }
    } finally {
      this.#advancing--;
      this.#arm();
    }
  }

  /** Skips to a moment, and fires the timers of upkeep that became due, each once. */
  async #skipTo(at: number, settle: () => Promise<void>): Promise<void> {
    this.#skippedMs += Math.max(0, at - this.monotonic());
    // What one of them causes, such as a bookmark that arrives, must be seen before the next one fires.
    for (const { added } = this.#upkeep; this.#upkeep.fireNext(at, added); ) await settle();
  }

  /** Sets the real timer for the next moment at which something is due. */
  #arm(): void {
    const at = Math.min(this.#timers.dueAt, this.#upkeep.dueAt);
    if (this.virtual || this.#advancing > 0 || at >= this.#alarmAt) return;
    this.#alarm?.cancel();
    this.#alarmAt = at;
    this.#alarm = systemClock.setTimer(
      () => {
        this.#alarmAt = Number.POSITIVE_INFINITY;
        const now = this.monotonic();
        for (const timers of [this.#upkeep, this.#timers]) {
          for (const { added } = timers; timers.fireNext(now, added); );
        }
        this.#arm();
      },
      Math.max(1, at - this.monotonic()),
    );
  }
}

/** Creates the clock of a cluster. */
export function createClusterClock(options: ClusterClockOptions): ClusterClock {
  return new SteppingClock(options);
}
