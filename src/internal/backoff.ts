/**
 * Exponential backoff between retries.
 *
 * @example
 * ```ts
 * import { createInformer } from "kubestream/cache";
 * import type { BackoffOptions } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const backoff: BackoffOptions = { initialMs: 500, factor: 2, capMs: 60_000, jitter: 1 };
 * const client = await connect();
 * const informer = createInformer(client.resource(Pod), { backoff });
 * await informer.close();
 * await client.close();
 * ```
 */
export interface BackoffOptions {
  /** First delay in milliseconds. */
  readonly initialMs: number;
  /** Factor from one delay to the next. */
  readonly factor: number;
  /** Maximum delay in milliseconds, before jitter. */
  readonly capMs: number;
  /** Random share added to each delay: 1 spreads a delay d over [d, 2d). */
  readonly jitter: number;
}

/**
 * Returns the delay in milliseconds after `failures` consecutive failures (from 1), given a random number in [0, 1).
 */
export function backoffDelayMs(options: BackoffOptions, failures: number, random: number): number {
  const base = Math.min(options.capMs, options.initialMs * options.factor ** Math.max(0, failures - 1));
  return base * (1 + options.jitter * random);
}
