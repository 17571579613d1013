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
  /** Returns the failures since the last success, with the pods of the Job that ended since its last status. */
  count(uid: string, counted: Tally): Failures;
  /** Remembers the failures. Call it once the status says them, so that no pod counts twice. */
  remember(uid: string, failures: Failures): void;
  /** Forgets a Job. */
  forget(uid: string): void;
}

/** Creates the pauses of all Jobs. */
export function createBackOff(): BackOff {
  const known = new Map<string, Failures>();
  return {
    count(uid, { newlyFailed, newlySucceeded }) {
      const before = newlySucceeded.length > 0 ? none : (known.get(uid) ?? none);
      const successMs = Math.max(...newlySucceeded.map(finishedMs));
      const failures = newlyFailed.map(finishedMs).filter((timeMs) => timeMs > successMs);
      return failures.length === 0 ? before : { count: before.count + failures.length, lastMs: Math.max(...failures) };
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

/**
 * Returns the time at which a pod ended: that of its last container, or else that at which it was no longer ready, such as
 * on a lost node, or that of its deletion.
 */
function finishedMs({ metadata, spec, status }: DeepReadonly<Pod>): number {
  const sidecars = new Set(
    spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === "Always").map(({ name }) => name),
  );
  const containers = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ];
  const times = containers.map(({ state }) => parseTime(state?.terminated?.finishedAt)?.getTime());
  if (times.length > 0 && times.every((time) => time !== undefined)) return Math.max(...times);
  const unready = status?.conditions?.find((each) => each.type === "Ready" && each.status === "False");
  const unreadyMs = parseTime(unready?.lastTransitionTime)?.getTime();
  if (unreadyMs !== undefined) return unreadyMs;
  const deletion = parseTime(metadata?.deletionTimestamp)?.getTime();
  if (deletion !== undefined) return deletion - (metadata?.deletionGracePeriodSeconds ?? 0) * 1_000;
  return parseTime(metadata?.creationTimestamp)?.getTime() ?? 0;
}
