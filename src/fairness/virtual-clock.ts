import type { Clock } from "../internal/clock.js";
import { createHeap, type HeapNode } from "../internal/heap.js";

/** Clock of a simulation: time passes only in `runUntil`, synchronously. */
export interface VirtualClock extends Clock {
  /** Fires all timers up to `atMs`, each at its moment and in the order in which they were set, and stops there. */
  runUntil(atMs: number): void;
}

interface Entry extends HeapNode {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Creates a clock that stands at 0. */
export function createVirtualClock(): VirtualClock {
  const timers = createHeap<Entry>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  let nowMs = 0;
  let order = 0;
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    setTimer(callback, delayMs) {
      const entry: Entry = { at: nowMs + Math.max(0, delayMs), order: order++, callback, heapIndex: -1 };
      timers.place(entry);
      return { cancel: () => timers.remove(entry) };
    },
    runUntil(atMs) {
      for (let next = timers.peek(); next !== undefined && next.at <= atMs; next = timers.peek()) {
        timers.remove(next);
        nowMs = next.at;
        next.callback();
      }
      nowMs = atMs;
    },
  };
}
