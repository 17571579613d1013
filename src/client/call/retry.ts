import { TransportError } from "../../errors/errors.js";
import { isServiceUnavailable, isTooManyRequests } from "../../errors/predicates.js";
import { StatusError } from "../../errors/status-error.js";
import { backoffDelayMs } from "../../internal/backoff.js";

/**
 * Retry policy of a client.
 *
 * The client retries 429 and refused HTTP/2 streams for every request, 503 for requests that are safe to repeat, and
 * closed connections for reads.
 * It never retries an eviction that a PodDisruptionBudget blocked.
 *
 * @example
 * ```ts
 * import { connect } from "kubestream/node";
 *
 * const client = await connect({
 *   retry: {
 *     maxRetries: 8,
 *     budgetMs: 60_000,
 *     onRetry: ({ action, failures, delayMs }) => console.warn(`${action}: attempt ${failures} failed, next in ${delayMs} ms`),
 *   },
 * });
 * await client.close();
 * ```
 */
export interface RetryOptions {
  /** Maximum number of retries per request. Default 5. */
  readonly maxRetries?: number | undefined;
  /**
   * Maximum total wait per request in milliseconds. A `Retry-After` that exceeds it isn't waited for: the error is
   * thrown at once. Default 30,000.
   */
  readonly budgetMs?: number | undefined;
  /** First backoff in milliseconds if the server sends no `Retry-After`. Default 200. */
  readonly initialMs?: number | undefined;
  /** Backoff multiplier. Default 2. */
  readonly factor?: number | undefined;
  /** Maximum backoff in milliseconds if the server sends no `Retry-After`. Default 10,000. */
  readonly capMs?: number | undefined;
  /** Maximum random share added to each wait, so that clients don't retry in lockstep. Default 0.25. */
  readonly jitter?: number | undefined;
  /** Callback before each wait, for metrics or logs. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
}

/** A request that failed and is about to be retried. */
export interface RetryEvent {
  /** Description of the request: `list pods in "apps"`. */
  readonly action: string;
  /** Cause: a `StatusError`, which carries the UIDs of the FlowSchema and the priority level, or a `TransportError`. */
  readonly error: unknown;
  /** Number of failed attempts so far. */
  readonly failures: number;
  /** Milliseconds until the next attempt. */
  readonly delayMs: number;
}

/** Classification of a request for retries. */
export interface Repeatability {
  /**
   * - `read`: safe to repeat any number of times.
   * - `write`: safe to repeat because the result is the same (apply, dry run, a write with a precondition).
   * - `once`: must not be repeated unless the server certainly didn't start it.
   */
  readonly repeat: "read" | "write" | "once";
}

/** State on which `retryDelayMs` decides. */
export interface RetryState extends Repeatability {
  /** Number of failed attempts, including the current one. */
  readonly failures: number;
  /** Milliseconds waited so far. */
  readonly waitedMs: number;
  /** Random number in [0, 1). */
  readonly random: number;
}

/**
 * Returns the delay in milliseconds before a failed request is sent again, or `undefined` if it must not be.
 *
 * A 429 is rejected before anything happens, so it can always be repeated, except for an eviction that a disruption
 * budget blocked. A 503 may come from a proxy that had already forwarded the request. After a broken connection it is
 * unknown what happened.
 */
export function retryDelayMs(error: unknown, state: RetryState, options: RetryOptions): number | undefined {
  if (state.failures > (options.maxRetries ?? 5)) return undefined;
  if (!worthRepeating(error, state.repeat)) return undefined;
  const jitter = options.jitter ?? 0.25;
  const requested = error instanceof StatusError && error.retryAfterMs !== 0 ? error.retryAfterMs : undefined;
  const delay =
    requested === undefined
      ? backoffDelayMs(
          { initialMs: options.initialMs ?? 200, factor: options.factor ?? 2, capMs: options.capMs ?? 10_000, jitter },
          state.failures,
          state.random,
        )
      : requested * (1 + jitter * state.random);
  return state.waitedMs + (requested ?? delay) > (options.budgetMs ?? 30_000) ? undefined : delay;
}

function worthRepeating(error: unknown, repeat: Repeatability["repeat"]): boolean {
  if (isTooManyRequests(error))
    return error.details?.causes?.some((cause) => cause.reason === "DisruptionBudget") !== true;
  if (isServiceUnavailable(error)) return repeat !== "once";
  if (!(error instanceof TransportError) || error.code === undefined) return false;
  return error.code === "ERR_HTTP2_REFUSED_STREAM" || (repeat === "read" && broken.has(error.code));
}

/**
 * Codes for a connection that broke, mostly because the peer closed it while it was idle. Other transport errors are
 * likely to happen again.
 */
const broken = new Set([
  "ECONNRESET",
  "EPIPE",
  "UND_ERR_SOCKET",
  // A server that ends an HTTP/2 connection (GOAWAY) can cut running streams off.
  "ERR_HTTP2_GOAWAY_SESSION",
  "ERR_HTTP2_INVALID_SESSION",
  "ERR_HTTP2_SESSION_ERROR",
  "ERR_HTTP2_STREAM_CANCEL",
  "ERR_HTTP2_STREAM_ERROR",
]);

/** The longest delay of a timer: 24.8 days. */
const maxRetryAfterMs = 2 ** 31 - 1;

/**
 * Parses a `Retry-After` header, either seconds or an HTTP date, to milliseconds. Returns `undefined` for anything
 * else.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  // Setting a timer for longer than this would overflow it.
  if (/^\d+$/.test(header)) return Math.min(Number(header) * 1000, maxRetryAfterMs);
  if (!/^[A-Za-z]{3,9},? /.test(header)) return undefined;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
