import type { Pod } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { parseTime } from "../../../../meta/time.js";
import { failuresOf } from "./job-pods.js";
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

/** Returns the time in milliseconds until a failed pod of an index with a limit of its own may be replaced. */
export function indexPauseInMs(pod: DeepReadonly<Pod>, nowMs: number): number {
  const { counted, ignored } = failuresOf(pod);
  return pauseInMs({ count: counted + ignored + 1, lastMs: finishedMs(pod) }, nowMs);
}

/** Returns the time at which a pod ended: that of its last container, or else of its deletion. */
function finishedMs({ metadata, status }: DeepReadonly<Pod>): number {
  const times = (status?.containerStatuses ?? []).map(({ state }) =>
    parseTime(state?.terminated?.finishedAt)?.getTime(),
  );
  if (times.length > 0 && times.every((time) => time !== undefined)) return Math.max(...times);
  const deletion = parseTime(metadata?.deletionTimestamp)?.getTime();
  if (deletion !== undefined) return deletion - (metadata?.deletionGracePeriodSeconds ?? 0) * 1_000;
  return parseTime(metadata?.creationTimestamp)?.getTime() ?? 0;
}
