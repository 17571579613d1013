import { isConflict } from "../../errors/predicates.js";
import { backoffDelayMs } from "../../internal/backoff.js";
import { type Clock, sleep, systemClock } from "../../internal/clock.js";

/** Options for `retryOnConflict`. */
export interface RetryOnConflictOptions {
  /** Maximum number of attempts. Default 5. */
  readonly maxAttempts?: number | undefined;
  /** First backoff in milliseconds. Default 10. */
  readonly initialMs?: number | undefined;
  /** Backoff multiplier. Default 2. */
  readonly factor?: number | undefined;
  /** Maximum backoff in milliseconds. Default 1,000. */
  readonly capMs?: number | undefined;
  /** Signal that aborts the waits. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Random number generator with results in [0, 1). Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * Calls `attempt` again, with backoff, while it fails with a conflict (409). `attempt` must read the object, change it
 * and write it. After the last attempt the conflict is thrown unchanged.
 *
 * For a single object, `update(name, change)` on a resource handle does the same.
 *
 * @example
 * ```ts
 * import { retryOnConflict } from "kubestream";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const configMaps = client.resource(ConfigMap).namespace("web");
 * await retryOnConflict(async () => {
 *   const config = await configMaps.get("counter");
 *   const count = Number(config.data?.["count"] ?? 0) + 1;
 *   return configMaps.update({ ...config, data: { ...config.data, count: String(count) } });
 * });
 * ```
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
