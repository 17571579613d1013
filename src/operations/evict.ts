import { isAbsent } from "../client/call/failure.js";
import type { Resource } from "../client/resource/resource.js";
import { isTooManyRequests } from "../errors/predicates.js";
import type { StatusError } from "../errors/status-error.js";
import { type Clock, sleep, systemClock } from "../internal/clock.js";
import type { CreateOptions, DeleteOptions } from "../meta/options.js";

/** Options for `evict`. */
export interface EvictOptions
  extends CreateOptions,
    Pick<DeleteOptions, "gracePeriodSeconds" | "propagationPolicy" | "preconditions"> {
  /**
   * Time in milliseconds to retry while a disruption budget blocks the eviction. Default 0: the first refusal is
   * thrown.
   */
  readonly patienceMs?: number | undefined;
  /** Milliseconds between two attempts if the server doesn't send a delay. Default 5,000. */
  readonly everyMs?: number | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Evicts a pod: deletes it if the disruption budgets allow it. Resolves to `true` once the server accepted the
 * eviction, and to `false` if the pod was already gone.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 *
 * @example
 * ```ts
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { evict, isBlockedByDisruptionBudget } from "kubestream/operations";
 *
 * const client = await connect();
 * const pods = client.resource(Pod).namespace("web");
 * try {
 *   await evict(pods, "shop-0", { patienceMs: 60_000 });
 * } catch (error) {
 *   if (!isBlockedByDisruptionBudget(error)) throw error;
 *   console.error("the disruption budget doesn't allow it:", error.message);
 * }
 * ```
 */
export async function evict<T, Sub extends { eviction: unknown }>(
  pods: Resource<T, Sub>,
  name: string,
  options: EvictOptions = {},
): Promise<boolean> {
  const {
    patienceMs = 0,
    everyMs = 5000,
    clock = systemClock,
    gracePeriodSeconds,
    propagationPolicy,
    preconditions,
    ...create
  } = options;
  const deleteOptions = { gracePeriodSeconds, propagationPolicy, preconditions };
  const body = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name },
    ...(Object.values(deleteOptions).some((value) => value !== undefined) && { deleteOptions }),
  };
  const deadline = clock.monotonic() + patienceMs;
  for (;;) {
    try {
      await pods.subresource("eviction").create(name, body as never, create);
      return true;
    } catch (error) {
      if (isAbsent(error, name)) return false;
      if (!isBlockedByDisruptionBudget(error)) throw error;
      const { retryAfterMs = 0 } = error;
      const delay = retryAfterMs > 0 ? retryAfterMs : everyMs;
      if (clock.monotonic() + delay > deadline) throw error;
      await sleep(delay, clock, options.signal);
    }
  }
}

/** Returns true if `error` is an eviction that a PodDisruptionBudget refused for now (429). */
export function isBlockedByDisruptionBudget(error: unknown): error is StatusError {
  return (
    isTooManyRequests(error) && error.details?.causes?.some((cause) => cause.reason === "DisruptionBudget") === true
  );
}
