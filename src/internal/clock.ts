import { onAbort } from "./abort.js";

/** Handle of a timer; `cancel` is idempotent. */
export interface Timer {
  /** Stops the timer if it has not fired. */
  cancel(): void;
}

/** Where all time comes from, so that tests and simulations can own it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that only ever grow, for measuring durations. */
  monotonic(): number;
  /** Calls `callback` once after `delayMs`. */
  setTimer(callback: () => void, delayMs: number): Timer;
}

const longestTimeout = 2_147_483_647;

/** The real time. Delays beyond the platform's limit of 24.8 days are cut to it. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, delayMs) {
    // A turn of the event loop and no more: a timer would sleep for a millisecond at least.
    if (delayMs <= 0 && typeof setImmediate === "function") {
      const id = setImmediate(callback);
      return { cancel: () => clearImmediate(id) };
    }
    const id = setTimeout(callback, Math.min(Math.max(0, delayMs), longestTimeout));
    return { cancel: () => clearTimeout(id) };
  },
};

/** Resolves after `delayMs`; rejects with the signal's reason if it fires first. */
export function sleep(delayMs: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    let unfollow: (() => void) | undefined;
    const timer = clock.setTimer(() => {
      unfollow?.();
      resolve();
    }, delayMs);
    unfollow =
      signal &&
      onAbort(signal, () => {
        timer.cancel();
        reject(signal.reason as Error);
      });
  });
}
