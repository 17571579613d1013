import { type Clock, sleep, systemClock } from "../internal/clock.js";
import type { Interceptor } from "../transport/transport.js";

/** How many requests a client may send. */
export interface RateLimitOptions {
  /** Requests per second in the long run; greater than 0. */
  readonly qps: number;
  /** Requests that may go out at once after a pause. Default: `qps`, at least 1. */
  readonly burst?: number;
  /** Called for each request that had to wait, with the milliseconds. */
  readonly onWait?: (waitedMs: number) => void;
  /** Where time comes from. Default: the real one. */
  readonly clock?: Clock;
}

/**
 * Holds requests back on this side, in their order. A client does not by default: API Priority and Fairness does it
 * better on the server. Throws a `RangeError` for numbers that make no sense.
 */
export function rateLimit(options: RateLimitOptions): Interceptor {
  const { qps, onWait, clock = systemClock } = options;
  const burst = options.burst ?? Math.max(1, qps);
  if (!(qps > 0)) throw new RangeError(`qps must be greater than 0, not ${qps}`);
  if (!(burst >= 1)) throw new RangeError(`burst must be at least 1, not ${burst}`);
  // Below zero are the requests that wait. One that leaves before its turn gives its place back.
  let tokens = burst;
  let updated = clock.monotonic();
  const take = (): number => {
    const now = clock.monotonic();
    tokens = Math.min(burst, tokens + ((now - updated) * qps) / 1000) - 1;
    updated = now;
    return tokens >= 0 ? 0 : (-tokens * 1000) / qps;
  };
  return (next) => async (request) => {
    const delay = take();
    if (delay > 0) {
      try {
        await sleep(delay, clock, request.signal);
      } catch (error) {
        tokens += 1;
        throw error;
      }
      onWait?.(delay);
    }
    return next(request);
  };
}
