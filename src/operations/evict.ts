import type { Resource } from "../client/resource/resource.js";
import { isNotFound, isTooManyRequests } from "../errors/predicates.js";
import type { StatusError } from "../errors/status-error.js";
import { type Clock, sleep, systemClock } from "../internal/clock.js";
import type { CreateOptions, DeleteOptions } from "../meta/options.js";

/** Options of `evict`. */
export interface EvictOptions
  extends CreateOptions,
    Pick<DeleteOptions, "gracePeriodSeconds" | "propagationPolicy" | "preconditions"> {
  /** Milliseconds to keep trying while a disruption budget holds the eviction back. Default 0: the first refusal is thrown. */
  readonly patienceMs?: number;
  /** Milliseconds between two tries where the server does not say. Default 5,000. */
  readonly everyMs?: number;
  /** Where time comes from. Default: the real one. */
  readonly clock?: Clock;
}

/**
 * Evicts a pod: deletes it if the disruption budgets allow it. Answers `false` for a pod that is gone already.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
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
      if (isNotFound(error)) return false;
      if (!isBlockedByDisruptionBudget(error)) throw error;
      const delay = error.retryAfterMs ?? everyMs;
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
