import type { Job } from "../../../../kinds/batch/v1.js";
import type { Pod } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { isActive } from "../../shared/pods.js";
import { parseIndexes } from "./indexes.js";
import { failuresOf, hasFailed, type IndexFailures, indexOf, isTracked } from "./job-pods.js";
import { applyFailurePolicy } from "./policies.js";

/** Results of a Job so far, with those of pods that were not counted before. */
export interface Tally {
  /** Pods that run or will run. */
  readonly active: readonly DeepReadonly<Pod>[];
  /** Pods that are being deleted and haven't ended. */
  readonly terminating: readonly DeepReadonly<Pod>[];
  /** Pods to release from tracking once the status that counts them is stored. */
  readonly ended: readonly DeepReadonly<Pod>[];
  /** Pods that failed and were not counted before. */
  readonly newlyFailed: readonly DeepReadonly<Pod>[];
  /** Pods that succeeded and were not counted before. */
  readonly newlySucceeded: readonly DeepReadonly<Pod>[];
  /** Counted results, and results whose pods are still tracked, by UID. */
  readonly succeeded: Count;
  /** The same for failures. */
  readonly failed: Count;
  /** Completed and failed indexes of an indexed Job. */
  readonly indexes: { readonly completed: Set<number>; readonly failed: Set<number> };
  /**
   * The last failed pod of each index with a limit of its own that no other pod replaces yet. It stays tracked and isn't
   * counted until then, because its replacement gets its number of failures.
   */
  readonly unreplaced: ReadonlyMap<number, DeepReadonly<Pod>>;
  /** Earlier failures of the indexes that may be tried again. */
  readonly indexFailures: ReadonlyMap<number, IndexFailures>;
  /** Explanation by a pod failure policy that fails the Job. */
  readonly failJob: string | undefined;
}

interface Count {
  /** Results of pods that were released from tracking. */
  settled: number;
  /** UIDs of pods that are counted and still tracked. */
  readonly pending: Set<string>;
}

/** Counts the pods of a Job. Each pod counts once: its finalizer stays until the status remembers it. */
export function tally(job: DeepReadonly<Job>, pods: readonly DeepReadonly<Pod>[]): Tally {
  const { status = {}, spec } = job;
  const indexed = spec?.completionMode === "Indexed";
  const tracked = new Set(pods.filter(isTracked).map(({ metadata }) => metadata!.uid!));
  const succeeded = count(status.succeeded, status.uncountedTerminatedPods?.succeeded, tracked);
  const failed = count(status.failed, status.uncountedTerminatedPods?.failed, tracked);
  const indexes = {
    completed: parseIndexes(indexed ? status.completedIndexes : undefined, spec?.completions),
    failed: parseIndexes(indexed ? status.failedIndexes : undefined, spec?.completions),
  };
  const ended: DeepReadonly<Pod>[] = [];
  const newlyFailed: DeepReadonly<Pod>[] = [];
  const failures: { pod: DeepReadonly<Pod>; index: number | undefined; counts: boolean }[] = [];
  const indexFailures = new Map<number, IndexFailures>();
  const limit = indexed ? spec?.backoffLimitPerIndex : undefined;
  const newlySucceeded: DeepReadonly<Pod>[] = [];
  let failJob: string | undefined;
  for (const pod of pods) {
    const uid = pod.metadata!.uid!;
    const index = indexed ? indexOf(pod) : undefined;
    const lost = indexed && (index === undefined || index >= (spec?.completions ?? 0));
    if (pod.status?.phase === "Succeeded") {
      if (!isTracked(pod)) continue;
      ended.push(pod);
      if (lost || succeeded.pending.has(uid) || (index !== undefined && indexes.completed.has(index))) continue;
      newlySucceeded.push(pod);
      if (index === undefined) succeeded.pending.add(uid);
      else indexes.completed.add(index);
    } else if (hasFailed(job, pod)) {
      const { action, message } = applyFailurePolicy(job, pod);
      if (index !== undefined) rememberFailure(indexFailures, index, pod, action === "Ignore");
      if (!isTracked(pod)) continue;
      if (action === "FailJob") failJob ??= message;
      const counts = !lost && action !== "Ignore";
      failures.push({ pod, index: lost ? undefined : index, counts });
      // A pod that was counted because its Job failed doesn't let its index fail, too.
      const isNew = !failed.pending.has(uid);
      if (counts && isNew && limit !== undefined && (action === "FailIndex" || failuresOf(pod).counted >= limit))
        indexes.failed.add(index!);
    }
  }
  for (const index of indexes.completed) indexes.failed.delete(index);
  const active = pods.filter(isActive);
  const isSettled = new Set([...indexes.completed, ...indexes.failed, ...active.map(indexOf)]);
  const unreplaced = new Map<number, DeepReadonly<Pod>>();
  for (const { pod, index } of limit === undefined ? [] : failures) {
    if (index === undefined || isSettled.has(index)) continue;
    const last = unreplaced.get(index);
    if (last === undefined || absolute(failuresOf(last)) <= absolute(failuresOf(pod))) unreplaced.set(index, pod);
  }
  for (const { pod, index, counts } of failures) {
    if (index !== undefined && unreplaced.get(index) === pod) continue;
    ended.push(pod);
    if (!counts || failed.pending.has(pod.metadata!.uid!)) continue;
    failed.pending.add(pod.metadata!.uid!);
    newlyFailed.push(pod);
  }
  if (indexed) succeeded.settled = indexes.completed.size;
  return {
    active,
    terminating: pods.filter(
      ({ metadata, status: { phase } = {} }) =>
        metadata?.deletionTimestamp !== undefined && phase !== "Failed" && phase !== "Succeeded",
    ),
    ended,
    newlyFailed,
    newlySucceeded,
    succeeded,
    failed,
    indexes,
    unreplaced,
    indexFailures,
    failJob,
  };
}

function count(settled = 0, pending: readonly string[] = [], tracked: ReadonlySet<string>): Count {
  const still = pending.filter((uid) => tracked.has(uid));
  return { settled: settled + pending.length - still.length, pending: new Set(still) };
}

/** Keeps the highest count of an index, which is that of its last pod. */
function rememberFailure(
  failures: Map<number, IndexFailures>,
  index: number,
  pod: DeepReadonly<Pod>,
  ignored: boolean,
): void {
  const before = failuresOf(pod);
  const next = { counted: before.counted + (ignored ? 0 : 1), ignored: before.ignored + (ignored ? 1 : 0) };
  const known = failures.get(index);
  if (known === undefined || absolute(known) < absolute(next)) failures.set(index, next);
}

/** Returns the number of failures, counted or not. */
function absolute({ counted, ignored }: IndexFailures): number {
  return counted + ignored;
}

/** Counts the pods of a Job that fails as failed, whatever they do, so that they are released. */
export function failRest(counted: Tally, job: DeepReadonly<Job>): Tally {
  const rest = [...counted.active, ...counted.terminating, ...counted.unreplaced.values()].filter(
    (pod) => isTracked(pod) && !counted.ended.includes(pod),
  );
  const pending = new Set(counted.failed.pending);
  const indexed = job.spec?.completionMode === "Indexed";
  for (const pod of rest) {
    const index = indexOf(pod);
    const isLost = indexed && (index === undefined || index >= (job.spec?.completions ?? 0));
    if (!isLost && applyFailurePolicy(job, pod).action !== "Ignore") pending.add(pod.metadata!.uid!);
  }
  return { ...counted, ended: [...counted.ended, ...rest], failed: { ...counted.failed, pending } };
}

/** Returns a result's number of pods. */
export function total({ settled, pending }: Count): number {
  return settled + pending.size;
}
