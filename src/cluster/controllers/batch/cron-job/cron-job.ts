import type { Change } from "../../../../cache/store/change.js";
import type { EventDetails } from "../../../../controller/events/event-recorder.js";
import type { Controller, ReconcileContext, ReconcileResult } from "../../../../controller/reconcile/controller.js";
import { createController } from "../../../../controller/reconcile/create-controller.js";
import { enqueueForOwner } from "../../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../../controller/reconcile/kind-source.js";
import type { ReconcileRequest } from "../../../../controller/reconcile/reconcile-request.js";
import type { Source } from "../../../../controller/reconcile/source.js";
import { parseCronSchedule } from "../../../../internal/cron-schedule.js";
import { CronJob, type CronJobStatus, Job } from "../../../../kinds/batch/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { formatTime, parseTime } from "../../../../meta/time.js";
import { getControllerOwner } from "../../../../objects/owner-references.js";
import type { ClusterContext } from "../../context.js";
import { nextCheck } from "../../shared/pods.js";
import { writeStatus } from "../../shared/write-status.js";
import { finishedCondition } from "../job/ending.js";
import { createJobControl, type JobControl, jobName } from "./job-control.js";
import { dueTimes, nextRun } from "./missed-times.js";

/**
 * Creates the controller that starts the Jobs of each CronJob at the times of its schedule.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/
 */
export function createCronJobController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const jobs = context.cache(Job);
  const events = context.recorder("cronjob-controller");

  /** Starts the Job that is due, if there is one. Returns the time in milliseconds until the next one. */
  async function schedule(
    cronJob: DeepReadonly<CronJob>,
    control: JobControl,
    status: CronJobStatus,
    call: ReconcileContext<CronJob>,
  ): Promise<number | undefined> {
    const { schedule: text, timeZone, startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec;
    const parsed = parseCronSchedule(text);
    if (parsed === undefined) {
      control.warn("UnparseableSchedule", `unparseable schedule: ${text}`);
      return undefined;
    }
    const nowMs = clock.now();
    const sinceMs = lastRunMs(cronJob);
    if (parsed.next(sinceMs, timeZone) === undefined) {
      const reason = "time difference between two schedules is less than 1 second";
      control.warn("InvalidSchedule", `invalid schedule: ${text} : ${reason}`);
      return undefined;
    }
    const waitMs = nextRun(parsed, { afterMs: sinceMs, nowMs, timeZone })! - nowMs;
    const deadlineMs =
      startingDeadlineSeconds === undefined ? Number.POSITIVE_INFINITY : startingDeadlineSeconds * 1_000;
    const { last, many } = dueTimes(parsed, { afterMs: Math.max(sinceMs, nowMs - deadlineMs), nowMs, timeZone });
    if (last === undefined) return waitMs;
    if (many) {
      const advice = "Set or decrease .spec.startingDeadlineSeconds or check clock skew";
      control.warn("TooManyMissedTimes", `too many missed start times. ${advice}`);
    }
    if (status.active?.some(({ name }) => name === jobName(cronJob, last))) return waitMs;
    if ((status.active?.length ?? 0) > 0 && concurrencyPolicy === "Forbid") {
      const note = "Not starting job because prior execution is running and concurrency policy is Forbid";
      events.event(cronJob, { reason: "JobAlreadyActive", note });
      return waitMs;
    }
    if (concurrencyPolicy === "Replace") {
      const active = new Set(status.active?.map(({ uid }) => uid));
      const running = jobs.store.byIndex("controller", cronJob.metadata!.uid!);
      await control.replace(running.filter(({ metadata }) => active.has(metadata!.uid)));
      delete status.active;
    }
    const reference = await control.start(last, call);
    // Another program has created the Job: as upstream, the CronJob waits for its next change.
    if (reference === undefined) return undefined;
    status.active = [...(status.active ?? []), reference];
    status.lastScheduleTime = formatTime(last);
    return parsed.next(last, timeZone)! - nowMs;
  }

  async function reconcile(
    cronJob: DeepReadonly<CronJob>,
    call: ReconcileContext<CronJob>,
  ): Promise<ReconcileResult | undefined> {
    const { uid = "", namespace = "" } = cronJob.metadata ?? {};
    const owned = jobs.store.byIndex("controller", uid);
    const control = createJobControl(client, events, cronJob);
    const status = structuredClone(cronJob.status ?? {}) as CronJobStatus;
    const exists = (name: string): boolean => jobs.store.has(`${namespace}/${name}`);
    const trimmed = await control.trimHistory(owned);
    // A Job that is over and already deleted isn't reported.
    if (status.active) status.active = status.active.filter(({ uid: job }) => !trimmed.has(job));
    for (const note of noteResults(status, owned, exists)) events.event(cronJob, note);
    const idle = cronJob.spec?.suspend === true || cronJob.metadata?.deletionTimestamp !== undefined;
    let failure: unknown;
    let waitMs: number | undefined;
    try {
      if (!idle) waitMs = await schedule(cronJob, control, status, call);
    } catch (error) {
      failure = error;
    }
    await writeStatus<CronJob>(client.resource(CronJob).namespace(namespace), cronJob, status, call);
    if (failure !== undefined) throw failure as Error;
    return nextCheck([waitMs]);
  }

  const controller: Controller = createController({
    name: "cronjob",
    for: client.resource(CronJob),
    predicates: [(change) => !hasNewSchedule(change)],
    watches: [
      kindSource(client.resource(Job), enqueueForOwner(CronJob), { predicates: [hasNewResult] }),
      newScheduleSource(context, (request, delayMs) => controller.enqueue(request, { delayMs })),
    ],
    concurrency: 5,
    clock,
    log,
    reconcile: (_, call) => (call.object === undefined ? undefined : reconcile(call.object, call)),
  });
  return controller;
}

/** Returns the source of changed schedules: a new one starts with its next time. */
function newScheduleSource(
  { client, clock }: ClusterContext,
  enqueue: (request: ReconcileRequest, delayMs: number) => void,
): Source {
  return kindSource(
    client.resource(CronJob),
    ({ object: cronJob }) => {
      const { namespace, name } = cronJob.metadata!;
      const { schedule, timeZone } = cronJob.spec;
      const nowMs = clock.now();
      const parsed = parseCronSchedule(schedule);
      const next = parsed && nextRun(parsed, { afterMs: lastRunMs(cronJob), nowMs, timeZone });
      if (next !== undefined) enqueue({ namespace: namespace!, name: name! }, next - nowMs);
      return [];
    },
    { predicates: [hasNewSchedule] },
  );
}

/** Returns the time of a CronJob's last run, or of its creation, in milliseconds since the epoch. */
function lastRunMs({ metadata, status }: DeepReadonly<CronJob>): number {
  return parseTime(status?.lastScheduleTime ?? metadata!.creationTimestamp)!.getTime();
}

/** Returns true for a change of a CronJob's schedule or time zone. */
function hasNewSchedule(change: Change<CronJob>): boolean {
  if (change.type !== "updated") return false;
  const [before, after] = [change.old.spec, change.object.spec];
  return before.schedule !== after.schedule || before.timeZone !== after.timeZone;
}

/** Returns true for a change of a Job that a CronJob's status, history or next run depends on. */
function hasNewResult(change: Change<Job>): boolean {
  if (change.type !== "updated") return true;
  const { object: job, old } = change;
  return (
    finishedCondition(job)?.type !== finishedCondition(old)?.type ||
    job.status?.completionTime !== old.status?.completionTime ||
    getControllerOwner(job)?.uid !== getControllerOwner(old)?.uid
  );
}

/**
 * Brings the list of active Jobs up to date. Returns the events to record. A Job that has lost its owner stays in the list
 * while it exists.
 */
function noteResults(
  status: CronJobStatus,
  owned: readonly DeepReadonly<Job>[],
  exists: (name: string) => boolean,
): EventDetails[] {
  const notes: EventDetails[] = [];
  const byUid = new Map(owned.map((job) => [job.metadata!.uid, job]));
  const active = (status.active ?? []).filter(({ uid, name }) => {
    const job = byUid.get(uid);
    const condition = job && finishedCondition(job);
    const isMissing = job === undefined && !exists(name!);
    if (isMissing) notes.push({ reason: "MissingJob", note: `Active job went missing: ${name}` });
    else if (condition !== undefined)
      notes.push({ reason: "SawCompletedJob", note: `Saw completed job: ${name}, condition: ${condition.type}` });
    return !isMissing && condition === undefined;
  });
  for (const job of owned) {
    const { completionTime } = job.status ?? {};
    if (completionTime != null && completionTime > (status.lastSuccessfulTime ?? ""))
      status.lastSuccessfulTime = completionTime;
    if (finishedCondition(job) === undefined && !active.some(({ uid }) => uid === job.metadata!.uid)) {
      const note = `Saw a job that the controller did not create or forgot: ${job.metadata!.name}`;
      notes.push({ type: "Warning", reason: "UnexpectedJob", note });
    }
  }
  if (active.length > 0) status.active = active;
  else delete status.active;
  return notes;
}
