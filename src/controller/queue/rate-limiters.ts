import { type Clock, systemClock } from "../../internal/clock.js";

/** Determines how long an item waits before it is retried. */
export interface RateLimiter<T> {
  /** Records a failure of an item and returns the delay in milliseconds. */
  when(item: T): number;
  /** Resets the failures of an item, after success or when it is given up. */
  forget(item: T): void;
  /** Returns the number of failures of an item since the last `forget`. */
  numRequeues(item: T): number;
}

/** Options for `exponentialRateLimiter`. */
export interface ExponentialRateLimiterOptions {
  /** Delay in milliseconds after the first failure; each further failure doubles it. Default 5. */
  readonly baseDelayMs?: number | undefined;
  /** Maximum delay in milliseconds. Default 1,000,000 (16 minutes 40 seconds). */
  readonly maxDelayMs?: number | undefined;
}

/** Options for `bucketRateLimiter`. */
export interface BucketRateLimiterOptions {
  /** Rate per second at which the bucket refills. Default 10. */
  readonly qps?: number | undefined;
  /** Capacity of the bucket: the number of items that pass without a delay. Default 100. */
  readonly burst?: number | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Options for `fastSlowRateLimiter`. */
export interface FastSlowRateLimiterOptions {
  /** Delay for the first failures in milliseconds. */
  readonly fastDelayMs: number;
  /** Delay for later failures in milliseconds. */
  readonly slowDelayMs: number;
  /** Number of failures with the fast delay. */
  readonly maxFastAttempts: number;
}

/**
 * Creates a limiter whose delay doubles with each failure of an item, by default from 5 ms to 1,000 s. Throws a
 * `RangeError` for invalid delays.
 *
 * @example
 * ```ts
 * import { createWorkQueue, exponentialRateLimiter } from "kubestream/controller";
 *
 * const rateLimiter = exponentialRateLimiter({ baseDelayMs: 100, maxDelayMs: 60_000 });
 * const queue = createWorkQueue<string>({ rateLimiter });
 * console.log(queue.addRateLimited("web/a")); // 100
 * console.log(queue.addRateLimited("web/a")); // 200
 * queue.forget("web/a");
 * ```
 */
export function exponentialRateLimiter<T>(options: ExponentialRateLimiterOptions = {}): RateLimiter<T> {
  const { baseDelayMs = 5, maxDelayMs = 1_000_000 } = options;
  if (!(baseDelayMs > 0) || !(maxDelayMs >= baseDelayMs))
    throw new RangeError(`delays must satisfy 0 < baseDelayMs <= maxDelayMs, not ${baseDelayMs} and ${maxDelayMs}`);
  return counting((failures) => Math.min(maxDelayMs, baseDelayMs * 2 ** (failures - 1)));
}

/** Creates a limiter with a short delay for the first failures of an item and a long delay after that. */
export function fastSlowRateLimiter<T>(options: FastSlowRateLimiterOptions): RateLimiter<T> {
  const { fastDelayMs, slowDelayMs, maxFastAttempts } = options;
  return counting((failures) => (failures <= maxFastAttempts ? fastDelayMs : slowDelayMs));
}

/**
 * Creates a token bucket that all items share: by default 100 items pass at once, then 10 per second. It doesn't count
 * failures. Throws a `RangeError` for invalid rates.
 */
export function bucketRateLimiter<T>(options: BucketRateLimiterOptions = {}): RateLimiter<T> {
  const { qps = 10, burst = 100, clock = systemClock } = options;
  if (!(qps > 0) || !(burst >= 1))
    throw new RangeError(`qps must be greater than 0 and burst at least 1, not ${qps} and ${burst}`);
  let tokens = burst;
  let at = clock.monotonic();
  return {
    when() {
      const now = clock.monotonic();
      // A negative count is the number of items that are already waiting for a token.
      tokens = Math.min(burst, tokens + ((now - at) / 1000) * qps) - 1;
      at = now;
      return tokens >= 0 ? 0 : (-tokens / qps) * 1000;
    },
    forget: () => undefined,
    numRequeues: () => 0,
  };
}

/**
 * Creates a limiter that returns the longest delay of several limiters.
 *
 * @example
 * ```ts
 * import { bucketRateLimiter, createWorkQueue, exponentialRateLimiter, maxOfRateLimiters } from "kubestream/controller";
 *
 * const rateLimiter = maxOfRateLimiters(exponentialRateLimiter(), bucketRateLimiter({ qps: 5, burst: 20 }));
 * const queue = createWorkQueue<string>({ rateLimiter });
 * queue.addRateLimited("web/a");
 * ```
 */
export function maxOfRateLimiters<T>(...limiters: readonly RateLimiter<T>[]): RateLimiter<T> {
  return {
    when: (item) => limiters.reduce((longest, limiter) => Math.max(longest, limiter.when(item)), 0),
    forget(item) {
      for (const limiter of limiters) limiter.forget(item);
    },
    numRequeues: (item) => limiters.reduce((most, limiter) => Math.max(most, limiter.numRequeues(item)), 0),
  };
}

/**
 * Creates client-go's default limiter for controllers: per item a delay from 5 ms to 1,000 s that doubles with each
 * failure, and for all items together 10 per second with a burst of 100.
 */
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
