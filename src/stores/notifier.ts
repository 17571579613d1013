import type { Clock, Timer } from "../internal/clock.js";
import { handleRejection } from "../internal/handle-rejection.js";

/** Listeners that are notified at most once per interval. */
export interface Notifier {
  /** Adds a listener. The returned function removes it. */
  add(listener: () => void): () => void;
  /** Requests a flush; the first one after a quiet interval follows in the next turn of the event loop. */
  schedule(): void;
  /** Flushes now, if a flush is due. */
  flush(): void;
  /** Flushes and cancels the timer. */
  stop(): void;
}

/** Creates a notifier. `update` computes the new snapshot and returns true if listeners must be notified. */
export function createNotifier(
  clock: Clock,
  intervalMs: number,
  update: () => boolean,
  onError: (error: unknown) => void,
): Notifier {
  let listeners: readonly (() => unknown)[] = [];
  let timer: Timer | undefined;
  let last = -Infinity;
  const flush = (): void => {
    if (timer === undefined) return;
    timer.cancel();
    timer = undefined;
    last = clock.monotonic();
    if (!update()) return;
    for (const listener of listeners) {
      try {
        handleRejection(listener(), onError);
      } catch (error) {
        onError(error);
      }
    }
  };
  return {
    add(listener) {
      // Wrapped in a new function, so that the same listener can be added twice.
      const own = (): unknown => listener();
      listeners = [...listeners, own];
      return () => {
        listeners = listeners.filter((other) => other !== own);
      };
    },
    schedule() {
      timer ??= clock.setTimer(flush, Math.max(0, last + intervalMs - clock.monotonic()));
    },
    flush,
    stop() {
      timer?.cancel();
      timer = undefined;
    },
  };
}
