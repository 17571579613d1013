import { onAbort } from "../abort.js";

/** Queue of promises that wait for values, first in, first out. */
export interface WaitList<V> {
  /** Number of waiting promises. */
  readonly size: number;
  /** Waits for a value. Rejects with the signal's reason if it aborts. */
  wait(signal: AbortSignal | undefined): Promise<V>;
  /** Resolves the first promise. Requires at least one. */
  resolveNext(value: V): void;
  /** Resolves all promises. */
  resolveAll(value: V): void;
}

/** Creates an empty list. */
export function createWaitList<V>(): WaitList<V> {
  let waiting: ((value: V) => void)[] = [];
  return {
    get size() {
      return waiting.length;
    },
    wait(signal) {
      if (signal?.aborted) return Promise.reject(signal.reason as Error);
      return new Promise((resolve, reject) => {
        const waiter = (value: V): void => {
          unfollow?.();
          resolve(value);
        };
        const unfollow =
          signal &&
          onAbort(signal, () => {
            waiting = waiting.filter((other) => other !== waiter);
            reject(signal.reason as Error);
          });
        waiting.push(waiter);
      });
    },
    resolveNext: (value) => waiting.shift()!(value),
    resolveAll(value) {
      for (const resolve of waiting.splice(0)) resolve(value);
    },
  };
}
