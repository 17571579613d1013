import { onAbort } from "./abort.js";

/** Handle of a timer. */
export interface Timer {
  /** Cancels the timer. Does nothing if it has fired or was canceled. */
  cancel(): void;
}

/**
 * Source of time. Pass your own to control time in tests and simulations.
 *
 * @example
 * ```ts
 * import type { Clock } from "kubestream";
 * import { systemClock } from "kubestream";
 *
 * // Shortens every timeout and every delay between retries, for tests.
 * export const fastClock: Clock = {
 *   ...systemClock,
 *   setTimer: (callback, delayMs) => systemClock.setTimer(callback, delayMs / 100),
 * };
 * ```
 */
export interface Clock {
  /** Returns the milliseconds since the epoch. */
  now(): number;
  /** Returns milliseconds that never decrease, for measuring durations. */
  monotonic(): number;
  /** Calls `callback` once after `delayMs` milliseconds. */
  setTimer(callback: () => void, delayMs: number, options?: TimerOptions): Timer;
}

/** Options for a timer. */
export interface TimerOptions {
  /**
   * True for a timer that only keeps something going, such as a heartbeat or a check for silence, and that is set again
   * when it fires. A simulated clock that skips a long time may fire it once instead of each time. Default `false`.
   */
  readonly upkeep?: boolean | undefined;
}

const longestTimeout = 2_147_483_647;

/** Calls back in the next turn of the event loop of a page, whose timers take up to four milliseconds. */
function afterMessage(callback: () => void): Timer {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(0);
  return { cancel: () => void (port1.onmessage = null) };
}

/** The system's clock. Limits delays to 24.8 days, the maximum of the platform. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, delayMs) {
    // Wait for one turn of the event loop: a timer would take at least a millisecond.
    if (delayMs <= 0 && typeof setImmediate === "function") {
      const id = setImmediate(callback);
      return { cancel: () => clearImmediate(id) };
    }
    if (delayMs <= 0 && typeof MessageChannel === "function") return afterMessage(callback);
    const id = setTimeout(callback, Math.min(Math.max(0, delayMs), longestTimeout));
    return { cancel: () => clearTimeout(id) };
  },
};

/** Resolves after `delayMs`. Rejects with the signal's reason if it aborts first. */
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
