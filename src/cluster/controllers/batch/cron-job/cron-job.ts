import type { Change } from "../../../../cache/store/change.js";
import type { EventDetails } from "../../../../controller/events/event-recorder.js";
import type { Controller, ReconcileContext, ReconcileResult } from "../../../../controller/reconcile/controller.js";
import { createController } from "../../../../controller/reconcile/create-controller.js";
import { enqueueForOwner } from "../../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../../controller/reconcile/kind-source.js";
import { parseCronSchedule } from "../../../../internal/cron-schedule.js";
import { CronJob, type CronJobStatus, Job } from "../../../../kinds/batch/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { formatTime, parseTime } from "../../../../meta/time.js";
import { getControllerOwner } from "../../../../objects/owner-references.js";
import type { ClusterContext } from "../../context.js";
import { nextCheck } from "../../shared/pods.js";
import { writeStatus } from "../../shared/write-status.js";
import { finishedCondition } from "../job/ending.js";
import { createJobControl, type JobControl } from "./job-control.js";
import { dueTimes } from "./missed-times.js";

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
    const deadlineMs = startingDeadlineSeconds === undefined ? undefined : startingDeadlineSeconds * 1_000;
    const since = parseTime(status.lastScheduleTime ?? cronJob.metadata!.creationTimestamp)!.getTime();
    const afterMs = Math.max(since, deadlineMs === undefined ? since : nowMs - deadlineMs - 1);
    const { last, many, next } = dueTimes(parsed, { afterMs, nowMs, timeZone });
    if (last === undefined && next === undefined) {
      const reason = "time difference between two schedules is less than 1 second";
      control.warn("InvalidSchedule", `invalid schedule: ${text} : ${reason}`);
      return undefined;
    }
    const waitMs = next === undefined ? undefined : next - nowMs;
    if (last === undefined) return waitMs;
    if (many) {
      const advice = "Set or decrease .spec.startingDeadlineSeconds or check clock skew";
      control.warn("TooManyMissedTimes", `too many missed start times. ${advice}`);
    }
    if ((status.active?.length ?? 0) > 0 && concurrencyPolicy === "Forbid") {
      const note = "Not starting job because prior execution is running and concurrency policy is Forbid";
      events.event(cronJob, { reason: "JobAlreadyActive", note });
      return waitMs;
    }
    if (concurrencyPolicy === "Replace") {
      const active = new Set(status.active?.map(({ uid }) => uid));
      const running = jobs.store.byIndex("controller", cronJob.metadata!.uid!);
      await control.remove(running.filter(({ metadata }) => active.has(metadata!.uid)));
      delete status.active;
    }
    const reference = await control.start(last, call);
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
    const control = createJobControl(client, events, cronJob);
    const status = structuredClone(cronJob.status ?? {}) as CronJobStatus;
    const exists = (name: string): boolean => jobs.store.has(`${namespace}/${name}`);
    for (const note of noteResults(status, owned, exists)) events.event(cronJob, note);
    await control.trimHistory(owned);
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
      // A new schedule starts with its next time.
      kindSource(
        client.resource(CronJob),
        ({ object: { metadata, spec } }) => {
          const next = parseCronSchedule(spec.schedule)?.next(clock.now(), spec.timeZone);
          const request = { namespace: metadata!.namespace!, name: metadata!.name! };
          if (next !== undefined) controller.enqueue(request, { delayMs: next - clock.now() });
          return [];
        },
        { predicates: [hasNewSchedule] },
      ),
    ],
    concurrency: 5,
    clock,
    log,
    reconcile: (_, call) => (call.object === undefined ? undefined : reconcile(call.object, call)),
  });
  return controller;
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
