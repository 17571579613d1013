import type { Client } from "../../../../client/client.js";
import type { Job } from "../../../../kinds/batch/v1.js";
import type { Pod } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { newestFirst } from "../../shared/delete-order.js";
import { forAll } from "../../shared/in-lanes.js";
import { type PodControl } from "../../shared/pod-control.js";
import { slowStart } from "../../shared/slow-start.js";
import { indexPauseInMs } from "./back-off.js";
import { indexOf, jobPod, replacesFailedOnly } from "./job-pods.js";
import { type Tally, total } from "./tally.js";
import { release } from "./tracking.js";

/** Pods that one reconcile creates at most. */
const burst = 500;

/** Options for `adjustPods`. */
export interface AdjustOptions {
  readonly client: Client;
  readonly job: DeepReadonly<Job>;
  readonly counted: Tally;
  readonly control: PodControl;
  /** False during the pause after a failure. */
  readonly mayCreate: boolean;
  readonly nowMs: number;
}

/** Result of `adjustPods`. */
export interface Adjustment {
  /** Number of pods that it created. */
  readonly created: number;
  /** Pause in milliseconds of indexes that wait for another try, or 0. */
  readonly pauseMs: number;
}

/** Creates or deletes pods of a running Job until as many run as should. Rejects with the first error of a request. */
export async function adjustPods(options: AdjustOptions): Promise<Adjustment> {
  const { client, job, counted, control, mayCreate, nowMs } = options;
  const { active, terminating } = counted;
  const wanted = wantedPods(job, counted);
  const doomed = surplusPods(job, active, active.length - wanted);
  if (doomed.length > 0) {
    await removePods(client, doomed, control);
    return { created: 0, pauseMs: 0 };
  }
  const missing = Math.min(wanted - active.length - (replacesFailedOnly(job) ? terminating.length : 0), burst);
  if (missing <= 0 || !mayCreate) return { created: 0, pauseMs: 0 };
  let indexes = job.spec?.completionMode === "Indexed" ? freeIndexes(job, counted, missing) : undefined;
  const pauses = new Map([...counted.unreplaced].map(([index, pod]) => [index, indexPauseInMs(pod, nowMs)]));
  const waiting = (indexes ?? []).flatMap((index) => pauses.get(index) || []);
  indexes = indexes?.filter((index) => !pauses.get(index));
  let created = 0;
  const error = await slowStart(indexes?.length ?? missing, async (position) => {
    const index = indexes?.[position];
    const failures = index === undefined ? undefined : counted.indexFailures.get(index);
    if ((await control.create(jobPod(job, index, failures))) !== undefined) created++;
  });
  if (error !== undefined) throw error as Error;
  return { created, pauseMs: waiting.length === 0 ? 0 : Math.min(...waiting) };
}

/** Returns the pods to remove: of an indexed Job first those beyond its completions and second ones of an index. */
function surplusPods(
  { spec }: DeepReadonly<Job>,
  active: readonly DeepReadonly<Pod>[],
  surplus: number,
): readonly DeepReadonly<Pod>[] {
  const ordered = newestFirst(active);
  if (spec?.completionMode !== "Indexed") return ordered.slice(0, Math.max(0, surplus));
  const kept = new Set<number>();
  const extra: DeepReadonly<Pod>[] = [];
  const others: DeepReadonly<Pod>[] = [];
  // The last pod in the order of deletion is the one that keeps its index.
  for (const pod of ordered.reverse()) {
    const index = indexOf(pod) ?? Number.POSITIVE_INFINITY;
    (index >= (spec.completions ?? 0) || kept.has(index) ? extra : others).push(pod);
    kept.add(index);
  }
  return [...extra, ...others.reverse().slice(0, Math.max(0, surplus - extra.length))];
}

/** Deletes running pods without counting them as failures. */
export async function removePods(
  client: Client,
  doomed: readonly DeepReadonly<Pod>[],
  control: PodControl,
): Promise<void> {
  await forAll(doomed, async (pod) => {
    await release(client, pod);
    await control.delete(pod);
  });
}

/** Returns how many pods should run now. */
function wantedPods({ spec }: DeepReadonly<Job>, { active, succeeded, indexes }: Tally): number {
  const { parallelism = 1, completions } = spec ?? {};
  // Once a pod of a work queue has succeeded, no other is started or removed.
  if (completions === undefined) return total(succeeded) > 0 ? active.length : parallelism;
  return Math.min(parallelism, completions - total(succeeded) - indexes.failed.size);
}

/** Returns the lowest indexes that have no result and no running pod. */
function freeIndexes(job: DeepReadonly<Job>, counted: Tally, limit: number): number[] {
  const { active, terminating, indexes } = counted;
  const taken = new Set([...active, ...(replacesFailedOnly(job) ? terminating : [])].map(indexOf));
  const free: number[] = [];
  for (let index = 0; index < (job.spec?.completions ?? 0) && free.length < limit; index++)
    if (!taken.has(index) && !indexes.completed.has(index) && !indexes.failed.has(index)) free.push(index);
  return free;
}
