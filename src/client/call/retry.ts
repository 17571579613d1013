import { TransportError } from "../../errors/errors.js";
import { isServiceUnavailable, isTooManyRequests } from "../../errors/predicates.js";
import { StatusError } from "../../errors/status-error.js";
import { backoffDelayMs } from "../../internal/backoff.js";

/** How a client repeats requests that the server turned away. */
export interface RetryOptions {
  /** How often a request is repeated at most. Default 5. */
  readonly maxRetries?: number;
  /** Milliseconds that all waits of one request may take together; a longer `Retry-After` is not waited for. Default 30,000. */
  readonly budgetMs?: number;
  /** First wait in milliseconds where the server names none. Default 200. */
  readonly initialMs?: number;
  /** Factor from one wait to the next. Default 2. */
  readonly factor?: number;
  /** Longest wait in milliseconds where the server names none. Default 10,000. */
  readonly capMs?: number;
  /** Share of each wait that is added at random, so that clients do not come back all at once. Default 0.25. */
  readonly jitter?: number;
  /** Called before each wait, as for metrics of rejections and waits. */
  readonly onRetry?: (event: RetryEvent) => void;
}

/** A request that was turned away and will be sent again. */
export interface RetryEvent {
  /** What was attempted: `list pods in "apps"`. */
  readonly action: string;
  /** Why: a `StatusError` that names the FlowSchema and priority level, or a `TransportError`. */
  readonly error: unknown;
  /** How often the request failed so far. */
  readonly failures: number;
  /** Milliseconds until it is sent again. */
  readonly delayMs: number;
}

/** How often a request may be sent. */
export interface Repeatability {
  /**
   * `read`: any number of times; `write`: repeating it does no harm (apply, dry run, a write with a precondition);
   * `once`: it must not be repeated unless the server surely did not begin it.
   */
  readonly repeat: "read" | "write" | "once";
}

/** What a retry is decided on. */
export interface RetryState extends Repeatability {
  /** Failures so far, this one included. */
  readonly failures: number;
  /** Milliseconds waited so far. */
  readonly waitedMs: number;
  /** A random number in [0, 1). */
  readonly random: number;
}

/**
 * Milliseconds after which a failed request is to be sent again, or `undefined` if it is not. A 429 was turned away
 * before anything happened, so it may always be repeated, save where a disruption budget held an eviction back; a 503
 * may come from something between here and the server that had passed the request on; a broken connection leaves open
 * what happened.
 */
export function retryDelayMs(error: unknown, state: RetryState, options: RetryOptions): number | undefined {
  if (state.failures > (options.maxRetries ?? 5)) return undefined;
  if (!worthRepeating(error, state.repeat)) return undefined;
  const jitter = options.jitter ?? 0.25;
  const asked = error instanceof StatusError ? error.retryAfterMs : undefined;
  const delay =
    asked === undefined || asked <= 0
      ? backoffDelayMs(
          { initialMs: options.initialMs ?? 200, factor: options.factor ?? 2, capMs: options.capMs ?? 10_000, jitter },
          state.failures,
          state.random,
        )
      : asked * (1 + jitter * state.random);
  return state.waitedMs + (asked ?? delay) > (options.budgetMs ?? 30_000) ? undefined : delay;
}

function worthRepeating(error: unknown, repeat: Repeatability["repeat"]): boolean {
  if (isTooManyRequests(error))
    return error.details?.causes?.some((cause) => cause.reason === "DisruptionBudget") !== true;
  if (isServiceUnavailable(error)) return repeat !== "once";
  return error instanceof TransportError && repeat === "read" && error.code !== undefined && broken.has(error.code);
}

/** The connection broke, mostly because the other side closed it while it was idle. Everything else fails again. */
const broken = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/**
 * Milliseconds of a `Retry-After` header, which is a number of seconds or an HTTP date; `undefined` for anything else.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  if (!/^[A-Za-z]{3,9},? /.test(header)) return undefined;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
