import { KubestreamError } from "../../errors/kubestream-error.js";
import { onAbort } from "../../internal/abort.js";
import type { Clock, Timer } from "../../internal/clock.js";

/** Pending promises that wait for the same kind of event. */
export interface Waiters<V> {
  /** Number of pending promises. */
  readonly size: number;
  /**
   * Returns a promise that resolves when `settle` accepts `value`. On timeout, by `timeoutMs` or by a signal such as
   * `AbortSignal.timeout`, it rejects with `lastError()`, or with an error that names `what`. Any other abort rejects with
   * the signal's reason.
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
      const timedOut = (how: string, options?: ErrorOptions): unknown =>
        lastError() ?? new KubestreamError(`${what}: ${how}`, options);
      const reasonOf = ({ reason }: AbortSignal): unknown =>
        isTimeout(reason) ? timedOut("the signal timed out", { cause: reason }) : reason;
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(reasonOf(signal));
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
        unfollow = signal && onAbort(signal, () => waiter.finish({ reason: reasonOf(signal) }));
        if (timeoutMs !== undefined) {
          timer = clock.setTimer(
            () => waiter.finish({ reason: timedOut(`timed out after ${timeoutMs} ms`) }),
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

/** True for the reason of `AbortSignal.timeout`. */
function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === "TimeoutError";
}
