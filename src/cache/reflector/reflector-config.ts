import type { BackoffOptions } from "../../internal/backoff.js";
import type { DecodeOptions, SelectorOptions } from "../../meta/options.js";

/** How a reflector behaves towards the server. All durations are milliseconds unless named otherwise. */
export interface ReflectorOptions extends SelectorOptions {
  /**
   * How the present is read: `stream` by a watch that begins with it, `list` by pages, `auto` by a stream where the
   * server has it and by pages otherwise. Default `auto`.
   */
  readonly initialList?: "auto" | "stream" | "list";
  /** Whether the first list must be the latest state (`latest`, default) or may be whatever the server has cached (`any`). */
  readonly initialConsistency?: "latest" | "any";
  /** Objects per page. Default 500, and no pages where only the server's cache can answer them cheaply; a number given here holds always. */
  readonly pageSize?: number;
  /** Waits after failures. Default 800 ms, doubled up to 30 s, each spread over [d, 2d). */
  readonly backoff?: BackoffOptions;
  /** Waits between probes after 401, 403 and 404. Default 1 s, tripled up to 60 s, each spread over [d, 2d). */
  readonly refusedBackoff?: BackoffOptions;
  /** Longest `Retry-After` that is obeyed. Default 120,000. */
  readonly retryAfterCapMs?: number;
  /** Range from which each watch draws its `timeoutSeconds`. Default 300 to 600. */
  readonly watchTimeoutSeconds?: { readonly min: number; readonly max: number };
  /** Silence after which a watch counts as broken. Default 150,000 where the server was seen to send bookmarks, else the watch's own timeout and 30 s. */
  readonly idleTimeoutMs?: number;
  /** Silence after which a list counts as broken. Default 90,000. */
  readonly listIdleTimeoutMs?: number;
  /** Silence after which a stream of initial events is given up because its end never came. Default 10,000. */
  readonly bookmarkDeadlineMs?: number;
  /** How long a server that has no streaming lists is not asked for them again. Default 3,600,000. */
  readonly streamingRetryAfterMs?: number;
  /** Consecutive streams that ended before their end bookmark, or failed, until a list is made instead. Default 3. */
  readonly maxStreamingAttempts?: number;
  /** What is kept of the bytes that arrive. Default: all of it, `managedFields` parsed on first access. */
  readonly decode?: DecodeOptions;
}

/** `ReflectorOptions` with the defaults filled in. */
export interface ReflectorConfig {
  /** Label, field and shard selector. */
  readonly selectors: SelectorOptions;
  /** See {@link ReflectorOptions.initialList}. */
  readonly initialList: "auto" | "stream" | "list";
  /** See {@link ReflectorOptions.initialConsistency}. */
  readonly initialConsistency: "latest" | "any";
  /** Objects per page. */
  readonly pageSize: number;
  /** Whether `pageSize` was given, and so holds for lists from a version too. */
  readonly alwaysPage: boolean;
  /** See {@link ReflectorOptions.backoff}. */
  readonly backoff: BackoffOptions;
  /** See {@link ReflectorOptions.refusedBackoff}. */
  readonly refusedBackoff: BackoffOptions;
  /** See {@link ReflectorOptions.retryAfterCapMs}. */
  readonly retryAfterCapMs: number;
  /** See {@link ReflectorOptions.watchTimeoutSeconds}. */
  readonly watchTimeoutSeconds: { readonly min: number; readonly max: number };
  /** See {@link ReflectorOptions.idleTimeoutMs}; absent for the default. */
  readonly idleTimeoutMs: number | undefined;
  /** See {@link ReflectorOptions.listIdleTimeoutMs}. */
  readonly listIdleTimeoutMs: number;
  /** See {@link ReflectorOptions.bookmarkDeadlineMs}. */
  readonly bookmarkDeadlineMs: number;
  /** See {@link ReflectorOptions.streamingRetryAfterMs}. */
  readonly streamingRetryAfterMs: number;
  /** See {@link ReflectorOptions.maxStreamingAttempts}. */
  readonly maxStreamingAttempts: number;
  /** See {@link ReflectorOptions.decode}. */
  readonly decode: DecodeOptions | undefined;
}

/** Silence after which a watch counts as broken where bookmarks come about every minute. */
export const bookmarkedIdleMs = 150_000;

/** Fills in the defaults. Throws a `RangeError` for numbers that make no sense. */
export function reflectorConfig(options: ReflectorOptions = {}): ReflectorConfig {
  const { labelSelector, fieldSelector, shardSelector } = options;
  const seconds = options.watchTimeoutSeconds ?? { min: 300, max: 600 };
  if (!(seconds.min >= 1 && seconds.max >= seconds.min)) {
    throw new RangeError(`watchTimeoutSeconds must be a range from at least 1, not ${seconds.min} to ${seconds.max}`);
  }
  return {
    selectors: {
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(shardSelector === undefined ? {} : { shardSelector }),
    },
    initialList: options.initialList ?? "auto",
    initialConsistency: options.initialConsistency ?? "latest",
    pageSize: whole("pageSize", options.pageSize ?? 500),
    alwaysPage: options.pageSize !== undefined,
    backoff: waits("backoff", options.backoff ?? { initialMs: 800, factor: 2, capMs: 30_000, jitter: 1 }),
    refusedBackoff: waits(
      "refusedBackoff",
      options.refusedBackoff ?? { initialMs: 1_000, factor: 3, capMs: 60_000, jitter: 1 },
    ),
    retryAfterCapMs: positive("retryAfterCapMs", options.retryAfterCapMs ?? 120_000),
    watchTimeoutSeconds: seconds,
    idleTimeoutMs: options.idleTimeoutMs === undefined ? undefined : positive("idleTimeoutMs", options.idleTimeoutMs),
    listIdleTimeoutMs: positive("listIdleTimeoutMs", options.listIdleTimeoutMs ?? 90_000),
    bookmarkDeadlineMs: positive("bookmarkDeadlineMs", options.bookmarkDeadlineMs ?? 10_000),
    streamingRetryAfterMs: positive("streamingRetryAfterMs", options.streamingRetryAfterMs ?? 3_600_000),
    maxStreamingAttempts: positive("maxStreamingAttempts", options.maxStreamingAttempts ?? 3),
    decode: options.decode,
  };
}

function positive(name: string, value: number): number {
  if (!(value > 0)) throw new RangeError(`${name} must be above 0, not ${value}`);
  return value;
}

function whole(name: string, value: number): number {
  if (!(Number.isSafeInteger(value) && value > 0))
    throw new RangeError(`${name} must be a whole number above 0, not ${value}`);
  return value;
}

/** Waits of no length would ask a server that fails without a pause. */
function waits(name: string, options: BackoffOptions): BackoffOptions {
  positive(`${name}.initialMs`, options.initialMs);
  positive(`${name}.capMs`, options.capMs);
  if (!(options.factor >= 1)) throw new RangeError(`${name}.factor must be at least 1, not ${options.factor}`);
  if (!(options.jitter >= 0)) throw new RangeError(`${name}.jitter must be at least 0, not ${options.jitter}`);
  return options;
}
