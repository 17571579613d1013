/**
 * Synchronous pull, next to an async iterator's `next()`: a consumer that got one value takes the others that arrived with it without
 * a promise for each. Producers implement it where many small values arrive together; consumers must work without it.
 * docs/decisions/0015-synchronous-pull.md has the rules.
 */
export interface SyncPull<T> {
  /**
   * Returns the next value if it has already arrived; `undefined` if not, at the end, while a `next()` is pending, and if
   * the next value is a failure, which `next()` then throws. Never throws itself.
   */
  take?(): T | undefined;
}

/** An async iterator that may support synchronous pull. */
export type PullIterator<T> = AsyncIterator<T> & SyncPull<T>;
