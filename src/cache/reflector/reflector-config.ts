import type { BackoffOptions } from "../../internal/backoff.js";
import { defined } from "../../internal/defined.js";
import type { DecodeOptions, RequestOptions, SelectorOptions } from "../../meta/options.js";

/** Options for listing and watching. Durations are in milliseconds unless the name says otherwise. */
export interface ReflectorOptions extends SelectorOptions {
  /**
   * Method for the initial list: `stream` uses a watch that sends the current objects first, `list` uses pages, and
   * `auto` streams if the server supports it and uses pages otherwise. Default `auto`.
   */
  readonly initialList?: "auto" | "stream" | "list" | undefined;
  /** Consistency of the first list: `latest` (default) is up to date, `any` may come from the server's cache. */
  readonly initialConsistency?: "latest" | "any" | undefined;
  /**
   * Objects per page. Default 500, except for lists that only an unpaged request can serve from the server's cache. A
   * number set here always applies.
   */
  readonly pageSize?: number | undefined;
  /** Backoff after failures. Default 800 ms, doubled up to 30 s; jitter spreads each delay d over [d, 2d). */
  readonly backoff?: BackoffOptions | undefined;
  /** Backoff after 401, 403 and 404. Default 1 s, tripled up to 60 s; jitter spreads each delay d over [d, 2d). */
  readonly refusedBackoff?: BackoffOptions | undefined;
  /** Longest `Retry-After` that is honored. Default 120,000. */
  readonly retryAfterCapMs?: number | undefined;
  /** Range from which each watch draws its `timeoutSeconds`. Default 300 to 600. */
  readonly watchTimeoutSeconds?: { readonly min: number; readonly max: number } | undefined;
  /**
   * Requests a bookmark about once a minute, so that a watch that breaks resumes from a recent version and a silent one
   * is noticed. Set it to `false` for a server in the same process, where neither happens. A streaming list always
   * requests bookmarks, because one of them ends the list. Default `true`.
   */
  readonly bookmarks?: boolean | undefined;
  /**
   * Time without data after which a watch counts as broken. Default 150,000 once the server has sent a bookmark; before
   * that, the watch's timeout plus 30 s.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** Time without data after which a list counts as broken, and without an answer a watch. Default 90,000. */
  readonly listIdleTimeoutMs?: number | undefined;
  /** Time without data after which a streaming list is abandoned for lack of its end bookmark. Default 10,000. */
  readonly bookmarkDeadlineMs?: number | undefined;
  /** How long to avoid streaming lists on a server that doesn't support them. Default 3,600,000. */
  readonly streamingRetryAfterMs?: number | undefined;
  /** Consecutive streaming lists that may fail or break off before a plain list is made instead. Default 3. */
  readonly maxStreamingAttempts?: number | undefined;
  /** Decoding options. Default: everything is decoded, `managedFields` on first access. */
  readonly decode?: DecodeOptions | undefined;
}

/** `ReflectorOptions` with defaults applied. */
export interface ReflectorConfig {
  /** Options of every request: the selectors, and how to decode the objects. */
  readonly request: SelectorOptions & RequestOptions & Pick<ReflectorOptions, "decode">;
  /** See {@link ReflectorOptions.initialList}. */
  readonly initialList: "auto" | "stream" | "list";
  /** See {@link ReflectorOptions.initialConsistency}. */
  readonly initialConsistency: "latest" | "any";
  /** Objects per page. */
  readonly pageSize: number;
  /** True if `pageSize` was set by the user and therefore also applies to lists from a version. */
  readonly alwaysPage: boolean;
  /** See {@link ReflectorOptions.backoff}. */
  readonly backoff: BackoffOptions;
  /** See {@link ReflectorOptions.refusedBackoff}. */
  readonly refusedBackoff: BackoffOptions;
  /** See {@link ReflectorOptions.retryAfterCapMs}. */
  readonly retryAfterCapMs: number;
  /** See {@link ReflectorOptions.watchTimeoutSeconds}. */
  readonly watchTimeoutSeconds: { readonly min: number; readonly max: number };
  /** See {@link ReflectorOptions.bookmarks}. */
  readonly bookmarks: boolean;
  /** See {@link ReflectorOptions.idleTimeoutMs}; `undefined` for the default. */
  readonly idleTimeoutMs: number | undefined;
  /** See {@link ReflectorOptions.listIdleTimeoutMs}. */
  readonly listIdleTimeoutMs: number;
  /** See {@link ReflectorOptions.bookmarkDeadlineMs}. */
  readonly bookmarkDeadlineMs: number;
  /** See {@link ReflectorOptions.streamingRetryAfterMs}. */
  readonly streamingRetryAfterMs: number;
  /** See {@link ReflectorOptions.maxStreamingAttempts}. */
  readonly maxStreamingAttempts: number;
}

/** Idle timeout for servers that send a bookmark about once a minute. */
export const bookmarkedIdleMs = 150_000;

const defaults = {
  initialList: "auto",
  initialConsistency: "latest",
  pageSize: 500,
  backoff: { initialMs: 800, factor: 2, capMs: 30_000, jitter: 1 },
  refusedBackoff: { initialMs: 1_000, factor: 3, capMs: 60_000, jitter: 1 },
  retryAfterCapMs: 120_000,
  watchTimeoutSeconds: { min: 300, max: 600 },
  bookmarks: true,
  idleTimeoutMs: undefined,
  listIdleTimeoutMs: 90_000,
  bookmarkDeadlineMs: 10_000,
  streamingRetryAfterMs: 3_600_000,
  maxStreamingAttempts: 3,
} as const;

const positiveNames = [
  "retryAfterCapMs",
  "idleTimeoutMs",
  "listIdleTimeoutMs",
  "bookmarkDeadlineMs",
  "streamingRetryAfterMs",
  "maxStreamingAttempts",
] as const;

/** Applies defaults and validates. Throws a `RangeError` for numbers out of range. */
export function reflectorConfig(options: ReflectorOptions = {}): ReflectorConfig {
  const { labelSelector, fieldSelector, shardSelector, decode } = options;
  const config: ReflectorConfig = {
    ...defaults,
    ...defined(options),
    // The reflector repeats requests itself.
    request: { labelSelector, fieldSelector, shardSelector, decode, retry: false },
    alwaysPage: options.pageSize !== undefined,
  };
  const { min, max } = config.watchTimeoutSeconds;
  if (!(min >= 1 && max >= min))
    throw new RangeError(`watchTimeoutSeconds must satisfy 1 <= min <= max, not ${min} and ${max}`);
  if (!(Number.isSafeInteger(config.pageSize) && config.pageSize > 0))
    throw new RangeError(`pageSize must be a positive integer, not ${config.pageSize}`);
  for (const name of positiveNames) checkPositive(name, config[name]);
  for (const name of ["backoff", "refusedBackoff"] as const) checkBackoff(name, config[name]);
  return config;
}

/** Rejects delays of zero, which would retry against a failing server without a pause. */
function checkBackoff(name: string, { initialMs, factor, capMs, jitter }: BackoffOptions): void {
  checkPositive(`${name}.initialMs`, initialMs);
  checkPositive(`${name}.capMs`, capMs);
  if (!(factor >= 1)) throw new RangeError(`${name}.factor must be at least 1, not ${factor}`);
  if (!(jitter >= 0)) throw new RangeError(`${name}.jitter must be at least 0, not ${jitter}`);
}

function checkPositive(name: string, value: number | undefined): void {
  if (value !== undefined && !(value > 0)) throw new RangeError(`${name} must be greater than 0, not ${value}`);
}
