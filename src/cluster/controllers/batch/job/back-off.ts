import type { Tally } from "./tally.js";

/** First pause in milliseconds after a failed pod. It doubles with each failure in a row. */
const firstPauseMs = 10_000;
const longestPauseMs = 600_000;

/** Failures in a row of one Job. */
interface Failures {
  readonly count: number;
  readonly lastMs: number;
}

/** Pauses between the failed pods of Jobs and their replacements. */
export interface BackOff {
  /** Remembers the pods of a Job that ended since the last call. */
  note(uid: string, counted: Tally, nowMs: number): void;
  /** Returns the time in milliseconds until the Job may create pods. */
  pauseInMs(uid: string, nowMs: number): number;
  /** Forgets a Job. */
  forget(uid: string): void;
}

/** Creates the pauses of all Jobs. */
export function createBackOff(): BackOff {
  const failures = new Map<string, Failures>();
  return {
    note(uid, { newlyFailed, newlySucceeded }, nowMs) {
      if (newlySucceeded) failures.delete(uid);
      if (newlyFailed.length === 0) return;
      const count = (failures.get(uid)?.count ?? 0) + newlyFailed.length;
      failures.set(uid, { count, lastMs: nowMs });
    },
    pauseInMs(uid, nowMs) {
      const known = failures.get(uid);
      if (known === undefined) return 0;
      const pauseMs = Math.min(firstPauseMs * 2 ** (known.count - 1), longestPauseMs);
      return Math.max(0, known.lastMs + pauseMs - nowMs);
    },
    forget(uid) {
      failures.delete(uid);
    },
  };
}
