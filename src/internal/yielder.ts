import type { Clock, Timer } from "./clock.js";

/** Lets long-running work yield to the event loop, so that timers and sockets are served. */
export interface Yielder {
  /** Returns `undefined` within the budget, else a promise to await before continuing. */
  pause(): Promise<void> | undefined;
  /** Cancels a pending timer. */
  close(): void;
}

/** Creates a yielder that yields after `budgetMs` milliseconds of work without a turn of the event loop. */
export function createYielder(clock: Clock, budgetMs: number): Yielder {
  let since: number | undefined;
  let timer: Timer | undefined;
  return {
    pause() {
      const now = clock.monotonic();
      if (since === undefined) {
        since = now;
        // Fires in the next turn of the event loop. Work that waits for sockets yields by itself and never needs more.
        timer = clock.setTimer(() => {
          since = undefined;
        }, 0);
        return undefined;
      }
      if (now - since < budgetMs) return undefined;
      return new Promise((resolve) => {
        timer?.cancel();
        timer = clock.setTimer(() => {
          since = undefined;
          resolve();
        }, 0);
      });
    },
    close() {
      timer?.cancel();
      since = undefined;
    },
  };
}
