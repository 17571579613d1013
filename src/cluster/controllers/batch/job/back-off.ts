import type { Tally } from "./tally.js";

/** First pause in milliseconds after a failed pod. It doubles with each failure in a row. */
const firstPauseMs = 10_000;
const longestPauseMs = 600_000;

/** Failures in a row of one Job. */
export interface Failures {
  readonly count: number;
  readonly lastMs: number;
}

const none: Failures = { count: 0, lastMs: 0 };

/** Pauses between the failed pods of Jobs and their replacements. */
export interface BackOff {
  /** Returns the failures in a row, with the pods of the Job that ended since its last status. */
  count(uid: string, counted: Tally, nowMs: number): Failures;
  /** Remembers the failures. Call it once the status says them, so that no pod counts twice. */
  remember(uid: string, failures: Failures): void;
  /** Forgets a Job. */
  forget(uid: string): void;
}

/** Creates the pauses of all Jobs. */
export function createBackOff(): BackOff {
  const known = new Map<string, Failures>();
  return {
    count(uid, { newlyFailed, newlySucceeded }, nowMs) {
      const before = newlySucceeded ? none : (known.get(uid) ?? none);
      return newlyFailed.length === 0 ? before : { count: before.count + newlyFailed.length, lastMs: nowMs };
    },
    remember(uid, failures) {
      if (failures.count === 0) known.delete(uid);
      else known.set(uid, failures);
    },
    forget(uid) {
      known.delete(uid);
    },
  };
}

/** Returns the time in milliseconds until a Job with these failures may create pods. */
export function pauseInMs({ count, lastMs }: Failures, nowMs: number): number {
  if (count === 0) return 0;
  return Math.max(0, lastMs + Math.min(firstPauseMs * 2 ** (count - 1), longestPauseMs) - nowMs);
}
