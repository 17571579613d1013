import type { Clock, Timer } from "./clock.js";

/** Lets long work give the event loop its turns: timers and sockets are served while it goes on. */
export interface Yielder {
  /** Nothing as long as the budget holds; else a promise to wait for before going on. */
  pause(): Promise<void> | undefined;
  /** Cancels what timer there is. */
  close(): void;
}

/** Makes a yielder that asks for a turn of the event loop after `budgetMs` of work without one. */
export function createYielder(clock: Clock, budgetMs: number): Yielder {
  let since: number | undefined;
  let timer: Timer | undefined;
  return {
    pause() {
      const now = clock.monotonic();
      if (since === undefined) {
        since = now;
        // Fires with the loop's next turn, wherever that comes from: work that waits for sockets never asks for one.
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
