import { type Clock, sleep, systemClock } from "../internal/clock.js";
import { quietly } from "../internal/quietly.js";
import type { Interceptor } from "../transport/transport.js";

/** Options for `rateLimit`. */
export interface RateLimitOptions {
  /** Sustained number of requests per second; greater than 0. */
  readonly qps: number;
  /** Maximum burst after an idle period. Default: `qps`, at least 1. */
  readonly burst?: number | undefined;
  /** Callback for each delayed request, with the delay in milliseconds. Its exceptions are ignored. */
  readonly onWait?: ((waitedMs: number) => void) | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Returns an interceptor that limits the client's request rate with a token bucket; delayed requests keep their order.
 * By default a client isn't limited, because API Priority and Fairness on the server does it better. Throws a
 * `RangeError` for invalid numbers.
 *
 * @example
 * ```ts
 * import { rateLimit } from "kubestream/interceptors";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect({ interceptors: [rateLimit({ qps: 20, burst: 50 })] });
 * await client.close();
 * ```
 */
export function rateLimit(options: RateLimitOptions): Interceptor {
  const { qps, clock = systemClock } = options;
  const onWait = quietly(options.onWait);
  const burst = options.burst ?? Math.max(1, qps);
  if (!(qps > 0)) throw new RangeError(`qps must be greater than 0, not ${qps}`);
  if (!(burst >= 1)) throw new RangeError(`burst must be at least 1, not ${burst}`);
  // A negative value counts the waiting requests. An aborted request returns its token.
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
      onWait(delay);
    }
    return next(request);
  };
}
