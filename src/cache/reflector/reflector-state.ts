import type { FailureKind } from "./failure.js";

/** All that a reflector knows. It is replaced, never changed. */
export interface ReflectorState {
  /** What runs now. */
  readonly phase: "idle" | "listing" | "streaming" | "watching" | "probing" | "waiting";
  /** Newest version seen since the last whole list: a watch resumes from it. */
  readonly resourceVersion: string | undefined;
  /** Set when the server cannot serve lists from that version: the next asks for the latest state. */
  readonly versionUnusable: boolean;
  /** Whether a list was ever whole. */
  readonly synced: boolean;
  /** Failures since the last sign of health. */
  readonly failures: number;
  /** 401, 403 and 404 in a row. */
  readonly refusals: number;
  /** Versions found too old or too new since the last sign of health. */
  readonly expiries: number;
  /** Watches in a row that lived for less than a second. */
  readonly quickEnds: number;
  /** Watches in a row that lasted and brought nothing, not even a bookmark. */
  readonly quietWatches: number;
  /** Streams of initial events in a row that did not reach their end. */
  readonly streamTries: number;
  /** Until when (monotonic ms) streaming lists are not asked for. */
  readonly noStreamingUntil: number;
  /** Set when a list from version 0 came in pages: the server has no cache to answer from. */
  readonly noWatchCache: boolean;
  /** Whether the server was seen to send bookmarks. */
  readonly bookmarksSeen: boolean;
  /** Token of the page to get next; absent for the first. */
  readonly continue: string | undefined;
  /** Version of the list that runs, as its first page said. */
  readonly listVersion: string | undefined;
  /** Continue tokens of this list that expired. */
  readonly lostPages: number;
  /** Objects that the list that runs has brought. */
  readonly received: number;
  /** Objects that are still to come, where the server said. */
  readonly remaining: number | undefined;
  /** When the request that runs began (monotonic ms). */
  readonly startedAt: number;
  /** What the request that runs has brought, bookmarks included. */
  readonly progress: number;
  /** Whether the stream of initial events brought something that can only be live. */
  readonly liveSeen: boolean;
  /** When silence is to be reported (monotonic ms). */
  readonly deadlineAt: number;
  /** Silence that the watch that runs may keep. */
  readonly idleMs: number;
  /** What follows the wait. */
  readonly next: "list" | "page" | "watch";
  /** The failure that the wait is for. */
  readonly failure:
    | { readonly error: unknown; readonly kind: FailureKind; readonly delayMs: number; readonly until: number }
    | undefined;
}

/** A reflector that has not started. */
export const initialReflectorState: ReflectorState = {
  phase: "idle",
  resourceVersion: undefined,
  versionUnusable: false,
  synced: false,
  failures: 0,
  refusals: 0,
  expiries: 0,
  quickEnds: 0,
  quietWatches: 0,
  streamTries: 0,
  noStreamingUntil: -Infinity,
  noWatchCache: false,
  bookmarksSeen: false,
  continue: undefined,
  listVersion: undefined,
  lostPages: 0,
  received: 0,
  remaining: undefined,
  startedAt: 0,
  progress: 0,
  liveSeen: false,
  deadlineAt: Infinity,
  idleMs: 0,
  next: "list",
  failure: undefined,
};
