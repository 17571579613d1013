import type { Clock } from "../../../src/internal/clock.js";

export interface FakeClock extends Clock {
  /** The waits that were asked for, in milliseconds. */
  readonly waits: number[];
  /** Timers that have not fired. */
  readonly pending: () => number;
  /** Lets time pass, firing what is due. */
  advance(ms: number): Promise<void>;
}

/** A clock that stands still until it is advanced; with `auto`, a wait is over as soon as nothing else happens. */
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
