import type { Clock } from "../../../src/internal/clock.js";

export interface FakeClock extends Clock {
  /** Requested delays in milliseconds. */
  readonly waits: number[];
  /** Number of timers that haven't fired. */
  readonly pending: () => number;
  /** Advances the time and fires the timers that are due. */
  advance(ms: number): Promise<void>;
}

/**
 * Clock that stands still until `advance` is called. With `auto`, it advances to the next timer as soon as the event
 * loop is idle.
 */
export function fakeClock(options: { auto?: boolean; start?: number } = {}): FakeClock {
  let now = options.start ?? 0;
  const timers = new Map<object, { at: number; callback: () => void }>();
  const waits: number[] = [];
  const clock: FakeClock = {
    waits,
    pending: () => timers.size,
    now: () => now,
    monotonic: () => now,
    setTimer(callback, delayMs) {
      const key = {};
      waits.push(delayMs);
      timers.set(key, { at: now + delayMs, callback });
      if (options.auto === true)
        setImmediate(() => {
          if (timers.has(key)) void clock.advance(Math.max(0, timers.get(key)!.at - now));
        });
      return { cancel: () => void timers.delete(key) };
    },
    async advance(ms) {
      now += ms;
      for (const [key, timer] of [...timers]) {
        if (timer.at <= now && timers.delete(key)) timer.callback();
      }
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  return clock;
}
