import type { Controller, ReconcileContext, ReconcileResult } from "../../../../controller/reconcile/controller.js";
import { createController } from "../../../../controller/reconcile/create-controller.js";
import { isAlreadyExists, isNotFound } from "../../../../errors/predicates.js";
import { parseCronSchedule } from "../../../../internal/cron-schedule.js";
import { CronJob, type CronJobStatus, Job } from "../../../../kinds/batch/v1.js";
import type { ObjectReference } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { formatTime, parseTime } from "../../../../meta/time.js";
import { ownerReference } from "../../../../objects/owner-references.js";
import type { ClusterContext } from "../../context.js";
import { allSettled } from "../../shared/pod-control.js";
import { nextCheck } from "../../shared/pods.js";
import { writeStatus } from "../../shared/write-status.js";
import { finishedCondition } from "../job/ending.js";
import { dueTimes } from "./missed-times.js";

/**
 * Creates the controller that starts the Jobs of each CronJob at the times of its schedule.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/
 */
export function createCronJobController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const jobs = context.cache(Job);
  const events = context.recorder("cronjob-controller");

  function warn(cronJob: DeepReadonly<CronJob>, reason: string, note: string): void {
    events.event(cronJob, { type: "Warning", reason, action: "Schedule", note });
  }

  /** Deletes the oldest finished Jobs beyond the limits of the history. */
  async function trimHistory(cronJob: DeepReadonly<CronJob>, owned: readonly DeepReadonly<Job>[]): Promise<void> {
    const { successfulJobsHistoryLimit: successes = 3, failedJobsHistoryLimit: failures = 1 } = cronJob.spec ?? {};
    const doomed = [["Complete", successes] as const, ["Failed", failures] as const].flatMap(([type, limit]) => {
      const finished = owned.filter((job) => finishedCondition(job)?.type === type).sort(byStart);
      return finished.slice(0, Math.max(0, finished.length - limit));
    });
    await allSettled(doomed.map((job) => remove(cronJob, job)));
  }

  async function remove(cronJob: DeepReadonly<CronJob>, { metadata }: DeepReadonly<Job>): Promise<void> {
    const handle = client.resource(Job).namespace(metadata!.namespace!);
    try {
      await handle.delete(metadata!.name!, { propagationPolicy: "Background" });
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    events.event(cronJob, { reason: "SuccessfulDelete", action: "Delete", note: `Deleted job ${metadata!.name}` });
  }

  /** Starts the Job of a time. Returns a reference to it; `undefined` if it exists already. */
  async function start(
    cronJob: DeepReadonly<CronJob>,
    timeMs: number,
    call: ReconcileContext<CronJob>,
  ): Promise<ObjectReference | undefined> {
    try {
      const job = jobOf(cronJob, timeMs);
      const created = await client.resource(Job).namespace(cronJob.metadata!.namespace!).create(job, call);
      call.recordWrite(created);
      const note = `Created job ${created.metadata!.name}`;
      events.event(cronJob, { reason: "SuccessfulCreate", action: "Create", note });
      return referenceTo(created);
    } catch (error) {
      if (isAlreadyExists(error)) return undefined;
      warn(cronJob, "FailedCreate", `Error creating job: ${(error as Error).message}`);
      throw error;
    }
  }

  /** Starts the Job that is due, if there is one. Returns the time in milliseconds until the next one. */
  async function schedule(
    cronJob: DeepReadonly<CronJob>,
    status: CronJobStatus,
    call: ReconcileContext<CronJob>,
  ): Promise<number | undefined> {
    const { schedule: text = "", timeZone, startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec ?? {};
    const parsed = parseCronSchedule(text);
    if (parsed === undefined) {
      warn(cronJob, "UnparseableSchedule", `unparseable schedule: ${text}`);
      return undefined;
    }
    const nowMs = clock.now();
    const deadlineMs = startingDeadlineSeconds === undefined ? undefined : startingDeadlineSeconds * 1_000;
    const since = parseTime(status.lastScheduleTime ?? cronJob.metadata!.creationTimestamp)!.getTime();
    const afterMs = Math.max(since, deadlineMs === undefined ? since : nowMs - deadlineMs - 1);
    const { last, many, next } = dueTimes(parsed, { afterMs, nowMs, timeZone });
    const waitMs = next === undefined ? undefined : next - nowMs;
    if (last === undefined) return waitMs;
    if (many)
      warn(cronJob, "TooManyMissedTimes", "too many missed start times. Set or decrease .spec.startingDeadlineSeconds");
    if ((status.active?.length ?? 0) > 0 && concurrencyPolicy === "Forbid") {
      const note = "Not starting job because prior execution is running and concurrency policy is Forbid";
      events.event(cronJob, { reason: "JobAlreadyActive", action: "Schedule", note });
      return waitMs;
    }
    if (concurrencyPolicy === "Replace") {
      const active = new Set(status.active?.map(({ uid }) => uid));
      const running = jobs.store.byIndex("controller", cronJob.metadata!.uid!);
      await allSettled(running.filter(({ metadata }) => active.has(metadata!.uid)).map((job) => remove(cronJob, job)));
      delete status.active;
    }
    const reference = await start(cronJob, last, call);
    if (reference !== undefined) status.active = [...(status.active ?? []), reference];
    status.lastScheduleTime = formatTime(last);
    return waitMs;
  }

  async function reconcile(
    cronJob: DeepReadonly<CronJob>,
    call: ReconcileContext<CronJob>,
  ): Promise<ReconcileResult | undefined> {
    const { uid = "", namespace = "" } = cronJob.metadata ?? {};
    const owned = jobs.store.byIndex("controller", uid);
    const status = structuredClone(cronJob.status ?? {}) as CronJobStatus;
    for (const note of noteResults(status, owned)) events.event(cronJob, { ...note, action: "Check" });
    await trimHistory(cronJob, owned);
    const idle = cronJob.spec?.suspend === true || cronJob.metadata?.deletionTimestamp !== undefined;
    let failure: unknown;
    let waitMs: number | undefined;
    try {
      if (!idle) waitMs = await schedule(cronJob, status, call);
    } catch (error) {
      failure = error;
    }
    await writeStatus<CronJob>(client.resource(CronJob).namespace(namespace), cronJob, status, call);
    if (failure !== undefined) throw failure as Error;
    return nextCheck([waitMs]);
  }

  return createController({
    name: "cronjob",
    for: client.resource(CronJob),
    owns: [client.resource(Job)],
    concurrency: 5,
    clock,
    log,
    reconcile: (_, call) => (call.object === undefined ? undefined : reconcile(call.object, call)),
  });
}

/** Brings the list of active Jobs up to date. Returns the events to record. */
function noteResults(
  status: CronJobStatus,
  owned: readonly DeepReadonly<Job>[],
): { readonly reason: string; readonly note: string }[] {
  const notes: { reason: string; note: string }[] = [];
  const byUid = new Map(owned.map((job) => [job.metadata!.uid, job]));
  const active = (status.active ?? []).filter(({ uid, name }) => {
    const job = byUid.get(uid);
    const condition = job && finishedCondition(job);
    if (job === undefined) notes.push({ reason: "MissingJob", note: `Active job went missing: ${name}` });
    else if (condition !== undefined)
      notes.push({ reason: "SawCompletedJob", note: `Saw completed job: ${name}, condition: ${condition.type}` });
    return job !== undefined && condition === undefined;
  });
  for (const job of owned) {
    const { completionTime } = job.status ?? {};
    if (completionTime != null && completionTime > (status.lastSuccessfulTime ?? ""))
      status.lastSuccessfulTime = completionTime;
    if (finishedCondition(job) === undefined && !active.some(({ uid }) => uid === job.metadata!.uid))
      active.push(referenceTo(job));
  }
  if (active.length > 0) status.active = active;
  else delete status.active;
  return notes;
}

function byStart(a: DeepReadonly<Job>, b: DeepReadonly<Job>): number {
  const [first = "", second = ""] = [a, b].map(({ status }) => status?.startTime ?? "");
  return first < second || (first === second && a.metadata!.name! < b.metadata!.name!) ? -1 : 1;
}

/** Returns the Job of a scheduled time. Its name holds the time in minutes, so that no time has two. */
function jobOf(cronJob: DeepReadonly<CronJob>, timeMs: number): Job {
  const { metadata, spec } = structuredClone(cronJob.spec.jobTemplate) as Job;
  return {
    metadata: {
      ...(metadata?.labels && { labels: metadata.labels }),
      annotations: {
        ...metadata?.annotations,
        "batch.kubernetes.io/cronjob-scheduled-timestamp": formatTime(timeMs),
      },
      name: `${cronJob.metadata!.name}-${Math.floor(timeMs / 60_000)}`,
      ownerReferences: [ownerReference(cronJob, { controller: true })],
    },
    ...(spec && { spec }),
  };
}

function referenceTo({ metadata }: DeepReadonly<Job>): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata!;
  return { apiVersion: "batch/v1", kind: "Job", name, namespace, uid, resourceVersion };
}
