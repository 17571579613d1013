import type { FailureKind } from "./failure.js";

/**
 * State of a reflector. A step replaces the state and never modifies it; each phase declares the fields that exist only
 * in it.
 */
export type ReflectorState =
  | IdleState
  /** A request is running. */
  | ListingState
  | StreamingState
  | OpeningState
  | WatchingState
  | ProbingState
  /** A pause after a failure. */
  | WaitingState;

/** Knowledge that outlives a request: the version to resume from, failure counters and the server's capabilities. */
export interface ReflectorHistory {
  /** Newest version seen since the last complete list; a watch resumes from it. */
  readonly resourceVersion: string | undefined;
  /**
   * Set when the server cannot serve lists from that version, or its events came out of order: a list of the latest
   * state is next.
   */
  readonly versionUnusable: boolean;
  /** True once a list has completed. */
  readonly synced: boolean;
  /** Failures since the last sign of health. */
  readonly failures: number;
  /** Consecutive 401, 403 and 404 responses. */
  readonly refusals: number;
  /** Versions rejected as too old or too new since the last sign of health. */
  readonly expiries: number;
  /** Consecutive watches that ended within a second. */
  readonly quickEnds: number;
  /** Consecutive watches that lasted but brought nothing, not even a bookmark. */
  readonly quietWatches: number;
  /** Consecutive watches that were given up because they brought nothing, not even a bookmark. */
  readonly silentWatches: number;
  /**
   * Set when a watch could not be opened, broke or fell silent. The server may have come back with an older state, so a
   * probe precedes the next watch.
   */
  readonly doubtful: boolean;
  /** Consecutive streaming lists that didn't reach their end. */
  readonly streamAttempts: number;
  /** Continue tokens that expired since the last complete list. */
  readonly lostPages: number;
  /** Time (monotonic ms) until which streaming lists are not requested. */
  readonly noStreamingUntil: number;
  /** Set when a list from version 0 came in pages: the server has no watch cache. */
  readonly noWatchCache: boolean;
  /** True once the server has sent a bookmark. */
  readonly bookmarksSeen: boolean;
}

/** A list that arrives page by page. */
export interface ListProgress {
  /** Token of the next page; absent for the first page. */
  readonly continue: string | undefined;
  /** Version of the list, from its first page. */
  readonly version: string | undefined;
  /** Objects received so far. */
  readonly received: number;
  /** Objects still to come, if the server reports it. */
  readonly remaining: number | undefined;
  /** Consecutive pages without objects. Counts the current page until its first object arrives. */
  readonly emptyPages: number;
}

/** Timing of the current request. */
interface RequestTiming {
  /** When the request began (monotonic ms). */
  readonly startedAt: number;
  /** How long the request may go without data (ms). */
  readonly idleMs: number;
  /** When missing data counts as a failure (monotonic ms). */
  readonly deadlineAt: number;
}

/** A reflector that has not started. */
interface IdleState {
  readonly phase: "idle";
  readonly history: ReflectorHistory;
}

/** A page of a list is being read. */
export interface ListingState extends RequestTiming {
  readonly phase: "listing";
  readonly history: ReflectorHistory;
  readonly list: ListProgress;
}

/** A streaming list is running and its end bookmark hasn't arrived. */
export interface StreamingState extends RequestTiming {
  readonly phase: "streaming";
  readonly history: ReflectorHistory;
  /** Objects received so far. */
  readonly received: number;
  /** Events received so far, bookmarks included. */
  readonly progress: number;
  /** True if an event arrived that can only be live. Live events don't extend the deadline. */
  readonly liveSeen: boolean;
}

/** A watch was requested, and its response hasn't begun. */
export interface OpeningState extends RequestTiming {
  readonly phase: "opening";
  readonly history: ReflectorHistory;
  /** Time that the watch may go without data once it is open (ms). */
  readonly watchIdleMs: number;
}

/** A watch follows a complete list. */
export interface WatchingState extends RequestTiming {
  readonly phase: "watching";
  readonly history: ReflectorHistory;
  /** Events received so far, bookmarks included. */
  readonly progress: number;
}

/** A list of one object checks whether the server still knows the version. */
export interface ProbingState extends RequestTiming {
  readonly phase: "probing";
  readonly history: ReflectorHistory;
}

/** The next attempt is due at `failure.until`. */
export interface WaitingState {
  readonly phase: "waiting";
  readonly history: ReflectorHistory;
  /** The failure that caused the pause. */
  readonly failure: ReflectorFailure & { readonly delayMs: number; readonly until: number };
  /** The request that follows the pause. */
  readonly next: NextRequest;
}

/** An error and its class. */
export interface ReflectorFailure {
  readonly error: unknown;
  readonly kind: FailureKind;
}

/** A request to send after a pause: a new list, the rest of a list that has begun, or a watch. */
export type NextRequest =
  | { readonly type: "list" }
  | { readonly type: "page"; readonly list: ListProgress }
  | { readonly type: "watch" };

/** Returns the deadline of the current request (monotonic ms); `Infinity` if no request is running. */
export function getDeadline(state: ReflectorState): number {
  return state.phase === "idle" || state.phase === "waiting" ? Infinity : state.deadlineAt;
}

/** A list before its first page. */
export const emptyList: ListProgress = {
  continue: undefined,
  version: undefined,
  received: 0,
  remaining: undefined,
  emptyPages: 1,
};

/** A reflector that has not started. */
export const initialReflectorState: ReflectorState = {
  phase: "idle",
  history: {
    resourceVersion: undefined,
    versionUnusable: false,
    synced: false,
    failures: 0,
    refusals: 0,
    expiries: 0,
    quickEnds: 0,
    quietWatches: 0,
    silentWatches: 0,
    doubtful: false,
    streamAttempts: 0,
    lostPages: 0,
    noStreamingUntil: -Infinity,
    noWatchCache: false,
    bookmarksSeen: false,
  },
};
