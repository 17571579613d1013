import { KubestreamError } from "../../errors/kubestream-error.js";
import { onAbort } from "../../internal/abort.js";
import type { Clock, Timer } from "../../internal/clock.js";

/** Pending promises that wait for the same kind of event. */
export interface Waiters<V> {
  /** Number of pending promises. */
  readonly size: number;
  /**
   * Returns a promise that resolves when `settle` accepts `value`. On timeout it rejects with `lastError()`, or with an
   * error that names `what`.
   */
  wait(
    value: V,
    options: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number | undefined },
    what: string,
    lastError: () => unknown,
  ): Promise<void>;
  /** Resolves the promises whose value is accepted. */
  settle(accept: (value: V) => boolean): void;
  /** Rejects all pending promises. */
  reject(error: unknown): void;
}

interface Waiter<V> {
  readonly value: V;
  readonly finish: (error?: { readonly reason: unknown }) => void;
}

/** Creates an empty set of pending promises. */
export function createWaiters<V>(clock: Clock): Waiters<V> {
  const waiting = new Set<Waiter<V>>();
  return {
    get size() {
      return waiting.size;
    },
    wait(value, { signal, timeoutMs }, what, lastError) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        let timer: Timer | undefined;
        let unfollow: (() => void) | undefined;
        const waiter: Waiter<V> = {
          value,
          finish(error) {
            waiting.delete(waiter);
            timer?.cancel();
            unfollow?.();
            if (error === undefined) resolve();
            else reject(error.reason);
          },
        };
        waiting.add(waiter);
        unfollow = signal && onAbort(signal, () => waiter.finish({ reason: signal.reason }));
        if (timeoutMs !== undefined) {
          timer = clock.setTimer(
            () =>
              waiter.finish({ reason: lastError() ?? new KubestreamError(`${what}: timed out after ${timeoutMs} ms`) }),
            timeoutMs,
          );
        }
      });
    },
    settle(accept) {
      for (const waiter of [...waiting]) if (accept(waiter.value)) waiter.finish();
    },
    reject(error) {
      for (const waiter of [...waiting]) waiter.finish({ reason: error });
    },
  };
}
