import type { Clock, Timer } from "../../src/internal/clock.js";
import { isWorkingOutside } from "../../src/internal/outside-work.js";

/** Clock that only advances when a test advances it. */
export interface VirtualClock extends Clock {
  /** Advances the time, fires each timer at its moment, and settles all promises before and after it. */
  advance(ms: number): Promise<void>;
  /** Fires timers until `done` returns true, at most `limitMs` of virtual time ahead. Returns true if it did. */
  runUntil(done: () => boolean, limitMs: number): Promise<boolean>;
  /** Changes only the wall clock, like an operator or NTP does. */
  jump(ms: number): void;
  /** Number of pending timers. */
  readonly pending: number;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Lets all promises settle that can. Waits for modules that are being loaded, so that no virtual time passes before. */
export async function settle(): Promise<void> {
  await turn();
  while (isWorkingOutside()) await turn();
}

/** Creates a clock that starts at `start` (milliseconds since the epoch). */
export function createVirtualClock(start = Date.UTC(2026, 0, 1)): VirtualClock {
  const heap: Entry[] = [];
  let elapsed = 0;
  let offset = start;
  let order = 0;

  const before = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);
  const swap = (i: number, j: number): void => {
    [heap[i], heap[j]] = [heap[j]!, heap[i]!];
  };
  const push = (entry: Entry): void => {
    let i = heap.push(entry) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!before(heap[i]!, heap[parent]!)) break;
      swap(i, parent);
      i = parent;
    }
  };
  const pop = (): Entry => {
    const top = heap[0]!;
    const last = heap.pop()!;
    if (heap.length > 0) {
      heap[0] = last;
      let i = 0;
      for (;;) {
        let least = i;
        for (const child of [2 * i + 1, 2 * i + 2])
          if (child < heap.length && before(heap[child]!, heap[least]!)) least = child;
        if (least === i) break;
        swap(i, least);
        i = least;
      }
    }
    return top;
  };
  const cancelled = new Set<Entry>();
  const prune = (): void => {
    while (heap.length > 0 && cancelled.has(heap[0]!)) cancelled.delete(pop());
  };

  const clock: VirtualClock = {
    now: () => offset + elapsed,
    monotonic: () => elapsed,
    setTimer(callback, delayMs): Timer {
      const entry: Entry = {
        at: elapsed + Math.max(0, delayMs),
        order: order++,
        callback() {
          fired = true;
          callback();
        },
      };
      let fired = false;
      push(entry);
      return {
        cancel() {
          if (!fired) cancelled.add(entry);
        },
      };
    },
    async advance(ms) {
      const until = elapsed + ms;
      await clock.runUntil(() => false, ms);
      elapsed = until;
      await settle();
    },
    async runUntil(done, limitMs) {
      const until = elapsed + limitMs;
      await settle();
      for (;;) {
        if (done()) return true;
        prune();
        const next = heap[0];
        if (next === undefined || next.at > until) return false;
        pop();
        elapsed = Math.max(elapsed, next.at);
        next.callback();
        await settle();
      }
    },
    jump(ms) {
      offset += ms;
    },
    get pending() {
      prune();
      return heap.length - cancelled.size;
    },
  };
  return clock;
}
