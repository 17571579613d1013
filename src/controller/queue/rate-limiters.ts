import { type Clock, systemClock } from "../../internal/clock.js";

/** Says how long an item has to wait before it is worked on again. */
export interface RateLimiter<T> {
  /** Notes one more failure of an item and answers with the milliseconds it is to wait. */
  when(item: T): number;
  /** Forgets the failures of an item: it went well, or is given up. */
  forget(item: T): void;
  /** Failures of an item since it was last forgotten. */
  numRequeues(item: T): number;
}

/** Options of `exponentialRateLimiter`. */
export interface ExponentialRateLimiterOptions {
  /** Wait after the first failure in milliseconds; each failure doubles it. Default 5. */
  readonly baseDelayMs?: number;
  /** Longest wait in milliseconds. Default 1,000,000, which is 16 minutes and 40 seconds. */
  readonly maxDelayMs?: number;
}

/** Options of `bucketRateLimiter`. */
export interface BucketRateLimiterOptions {
  /** Items let through each second once the bucket is empty. Default 10. */
  readonly qps?: number;
  /** Items let through at once by a full bucket. Default 100. */
  readonly burst?: number;
  /** Where time comes from. Default: the real one. */
  readonly clock?: Clock;
}

/** Options of `fastSlowRateLimiter`. */
export interface FastSlowRateLimiterOptions {
  /** Wait of the first failures in milliseconds. */
  readonly fastDelayMs: number;
  /** Wait of the later ones in milliseconds. */
  readonly slowDelayMs: number;
  /** How many failures are fast. */
  readonly maxFastAttempts: number;
}

/** Waits that double with each failure of an item, from 5 ms to 1,000 s unless told otherwise. Throws a `RangeError` for waits that are none. */
export function exponentialRateLimiter<T>(options: ExponentialRateLimiterOptions = {}): RateLimiter<T> {
  const { baseDelayMs = 5, maxDelayMs = 1_000_000 } = options;
  if (!(baseDelayMs > 0) || !(maxDelayMs >= baseDelayMs))
    throw new RangeError(`no wait from ${baseDelayMs} ms to ${maxDelayMs} ms`);
  return counting((failures) => Math.min(maxDelayMs, baseDelayMs * 2 ** (failures - 1)));
}

/** A short wait for the first failures of an item, a long one for those after. */
export function fastSlowRateLimiter<T>(options: FastSlowRateLimiterOptions): RateLimiter<T> {
  const { fastDelayMs, slowDelayMs, maxFastAttempts } = options;
  return counting((failures) => (failures <= maxFastAttempts ? fastDelayMs : slowDelayMs));
}

/**
 * One bucket for all items together: full it lets 100 through at once, then 10 a second, unless told otherwise. It keeps
 * no count of failures. Throws a `RangeError` for rates that are none.
 */
export function bucketRateLimiter<T>(options: BucketRateLimiterOptions = {}): RateLimiter<T> {
  const { qps = 10, burst = 100, clock = systemClock } = options;
  if (!(qps > 0) || !(burst >= 1)) throw new RangeError(`no rate of ${qps} a second with a burst of ${burst}`);
  let tokens = burst;
  let at = clock.monotonic();
  return {
    when() {
      const now = clock.monotonic();
      // Below zero are the places that were promised to those who wait.
      tokens = Math.min(burst, tokens + ((now - at) / 1000) * qps) - 1;
      at = now;
      return tokens >= 0 ? 0 : (-tokens / qps) * 1000;
    },
    forget: () => undefined,
    numRequeues: () => 0,
  };
}

/** The longest wait that any of several limiters asks for. */
export function maxOfRateLimiters<T>(...limiters: readonly RateLimiter<T>[]): RateLimiter<T> {
  return {
    when: (item) => limiters.reduce((longest, limiter) => Math.max(longest, limiter.when(item)), 0),
    forget(item) {
      for (const limiter of limiters) limiter.forget(item);
    },
    numRequeues: (item) => limiters.reduce((most, limiter) => Math.max(most, limiter.numRequeues(item)), 0),
  };
}

/** What client-go gives a controller: doubling waits for each item from 5 ms to 1,000 s, and 10 a second with a burst of 100 for all together. */
export function defaultControllerRateLimiter<T>(options: Pick<BucketRateLimiterOptions, "clock"> = {}): RateLimiter<T> {
  return maxOfRateLimiters(exponentialRateLimiter<T>(), bucketRateLimiter<T>(options));
}

function counting<T>(delayMs: (failures: number) => number): RateLimiter<T> {
  const failures = new Map<T, number>();
  return {
    when(item) {
      const count = (failures.get(item) ?? 0) + 1;
      failures.set(item, count);
      return delayMs(count);
    },
    forget: (item) => void failures.delete(item),
    numRequeues: (item) => failures.get(item) ?? 0,
  };
}
