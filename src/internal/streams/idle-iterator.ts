import type { SyncPull } from "./sync-pull.js";

/** Source of values for an idle iterator. */
export interface IdleSource<T> extends Required<SyncPull<T>> {
  /**
   * Loads more values. Resolves with `false` at the end. Called only while a consumer waits, and never concurrently.
   */
  fill(): Promise<boolean>;
  /** Called once when the iteration ends for any reason. Must settle a pending `fill`. */
  stop(): void;
}

/** Iterator whose `return()` takes effect immediately, even while `next()` is pending. */
export interface IdleIterator<T> extends AsyncIterableIterator<T>, AsyncDisposable, Required<SyncPull<T>> {
  /** Ends the iteration and resolves a pending `next()` as done. */
  return(): Promise<IteratorResult<T>>;
}

/**
 * Creates a single-use iterator over a source. An async generator wouldn't work, because its `return()` waits for a
 * pending `next()`.
 */
export function createIdleIterator<T>(source: IdleSource<T>): IdleIterator<T> {
  const waiting: { resolve: (result: IteratorResult<T>) => void; reject: (error: unknown) => void }[] = [];
  let over = false;
  let pulling = false;

  const finish = (): void => {
    if (over) return;
    over = true;
    source.stop();
    for (const next of waiting.splice(0)) next.resolve({ done: true, value: undefined });
  };

  const pull = async (): Promise<void> => {
    pulling = true;
    try {
      while (waiting.length > 0) {
        const value = source.take();
        if (value !== undefined) waiting.shift()!.resolve({ done: false, value });
        else if (!(await source.fill())) finish();
      }
    } catch (error) {
      // If the consumer has left, the list is empty and the error is the expected result of `stop`.
      waiting.shift()?.reject(error);
      finish();
    } finally {
      pulling = false;
    }
  };

  return {
    next() {
      if (over) return Promise.resolve({ done: true, value: undefined });
      if (waiting.length === 0) {
        const value = source.take();
        if (value !== undefined) return Promise.resolve({ done: false, value });
      }
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        if (!pulling) void pull();
      });
    },
    take: () => (over || waiting.length > 0 ? undefined : source.take()),
    return() {
      finish();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => finish(),
  };
}
