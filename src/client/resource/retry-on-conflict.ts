import { isConflict } from "../../errors/predicates.js";
import { backoffDelayMs } from "../../internal/backoff.js";
import { type Clock, sleep, systemClock } from "../../internal/clock.js";

/** How a read-change-write is repeated. */
export interface RetryOnConflictOptions {
  /** How often it is tried at most. Default 5. */
  readonly maxAttempts?: number;
  /** First wait in milliseconds. Default 10. */
  readonly initialMs?: number;
  /** Factor from one wait to the next. Default 2. */
  readonly factor?: number;
  /** Longest wait in milliseconds. Default 1,000. */
  readonly capMs?: number;
  /** Ends the waiting with its reason. */
  readonly signal?: AbortSignal;
  /** Where time comes from. Default: the real one. */
  readonly clock?: Clock;
  /** Where chance comes from, a number in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * Calls `attempt` again while it fails with a conflict (409): it reads the object anew, changes it and writes it. The
 * last conflict is thrown as it came.
 */
export async function retryOnConflict<R>(attempt: () => Promise<R>, options: RetryOnConflictOptions = {}): Promise<R> {
  const {
    maxAttempts = 5,
    initialMs = 10,
    factor = 2,
    capMs = 1000,
    signal,
    clock = systemClock,
    random = Math.random,
  } = options;
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error) || failures >= maxAttempts) throw error;
      await sleep(backoffDelayMs({ initialMs, factor, capMs, jitter: 1 }, failures, random()), clock, signal);
    }
  }
}
