/**
 * Synchronous pull, in addition to an async iterator's `next()`. A consumer that got one value can take the others that
 * arrived with it without a promise for each. Producers of many small values implement it; consumers must work without
 * it. See docs/decisions/0015-synchronous-pull.md.
 */
export interface SyncPull<T> {
  /**
   * Returns the next value if it has already arrived. Returns `undefined` if it hasn't, at the end, while `next()` is
   * pending, and if the next result is an error, which `next()` then throws. Never throws.
   */
  take?(): T | undefined;
}

/** Async iterator that may support synchronous pull. */
export type PullIterator<T> = AsyncIterator<T> & SyncPull<T>;
