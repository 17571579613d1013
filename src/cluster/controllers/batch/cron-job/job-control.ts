import type { Client } from "../../../../client/client.js";
import type { EventRecorder } from "../../../../controller/events/event-recorder.js";
import type { ReconcileContext } from "../../../../controller/reconcile/controller.js";
import { isAlreadyExists, isNotFound } from "../../../../errors/predicates.js";
import { type CronJob, Job } from "../../../../kinds/batch/v1.js";
import type { ObjectReference } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { formatTime } from "../../../../meta/time.js";
import { getControllerOwner, ownerReference } from "../../../../objects/owner-references.js";
import { serverMessage } from "../../shared/server-message.js";
import { finishedCondition } from "../job/ending.js";

/** Creates and deletes the Jobs of one CronJob, and records events about them. */
export interface JobControl {
  /** Starts the Job of a time, or finds it. Returns a reference to it; `undefined` if the CronJob doesn't own it. */
  start(timeMs: number, call: ReconcileContext<CronJob>): Promise<ObjectReference | undefined>;
  /** Deletes Jobs, with their pods. Rejects if the server refuses a deletion. */
  replace(jobs: readonly DeepReadonly<Job>[]): Promise<void>;
  /** Deletes the oldest finished Jobs beyond the limits of the history. Returns the UIDs of those that it has deleted. */
  trimHistory(owned: readonly DeepReadonly<Job>[]): Promise<ReadonlySet<string | undefined>>;
  /** Records a warning. */
  warn(reason: string, note: string): void;
}

/** Creates the control of one CronJob's Jobs. */
export function createJobControl(client: Client, events: EventRecorder, cronJob: DeepReadonly<CronJob>): JobControl {
  const warn = (reason: string, note: string): void => {
    events.event(cronJob, { type: "Warning", reason, note });
  };
  /** Deletes a Job. Returns the error if the server refuses. */
  async function remove({ metadata }: DeepReadonly<Job>): Promise<Error | undefined> {
    const handle = client.resource(Job).namespace(metadata!.namespace!);
    try {
      await handle.delete(metadata!.name!, { propagationPolicy: "Background" });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      warn("FailedDelete", `Deleted job: ${serverMessage(error)}`);
      return error as Error;
    }
    events.event(cronJob, { reason: "SuccessfulDelete", note: `Deleted job ${metadata!.name}` });
    return undefined;
  }

  return {
    warn,
    async replace(doomed) {
      for (const job of doomed) {
        const refusal = await remove(job);
        if (refusal !== undefined) throw refusal;
      }
    },
    async trimHistory(owned) {
      const { successfulJobsHistoryLimit: successes = 3, failedJobsHistoryLimit: failures = 1 } = cronJob.spec ?? {};
      const doomed = [["Complete", successes] as const, ["Failed", failures] as const].flatMap(([type, limit]) => {
        const finished = owned.filter((job) => finishedCondition(job)?.type === type).sort(byStart);
        return finished.slice(0, Math.max(0, finished.length - limit));
      });
      const refusals = await Promise.all(doomed.map(remove));
      return new Set(doomed.filter((_, index) => refusals[index] === undefined).map(({ metadata }) => metadata!.uid));
    },
    async start(timeMs: number, call: ReconcileContext<CronJob>): Promise<ObjectReference | undefined> {
      const jobs = client.resource(Job).namespace(cronJob.metadata!.namespace!);
      const job = jobOf(cronJob, timeMs);
      try {
        const created = await jobs.create(job, call);
        call.recordWrite(created);
        const note = `Created job ${created.metadata!.name}`;
        events.event(cronJob, { reason: "SuccessfulCreate", note });
        return referenceTo(created);
      } catch (error) {
        if (isAlreadyExists(error)) {
          // Created before, but the status that names it couldn't be written.
          const known = await jobs.get(job.metadata!.name!, call);
          return getControllerOwner(known)?.uid === cronJob.metadata!.uid ? referenceTo(known) : undefined;
        }
        warn("FailedCreate", `Error creating job: ${serverMessage(error)}`);
        throw error;
      }
    },
  };
}

function byStart(a: DeepReadonly<Job>, b: DeepReadonly<Job>): number {
  // Jobs that haven't started come last.
  const [first = "", second = ""] = [a, b].map(({ status }) => status?.startTime ?? "~");
  return first < second || (first === second && a.metadata!.name! < b.metadata!.name!) ? -1 : 1;
}

/** Returns the name of the Job of a scheduled time. It holds the time in minutes, so that no time has two. */
export function jobName({ metadata }: DeepReadonly<CronJob>, timeMs: number): string {
  return `${metadata!.name}-${Math.floor(timeMs / 60_000)}`;
}

/** Returns the Job of a scheduled time. */
function jobOf(cronJob: DeepReadonly<CronJob>, timeMs: number): Job {
  const { metadata, spec } = structuredClone(cronJob.spec.jobTemplate) as Job;
  return {
    metadata: {
      ...(metadata?.labels && { labels: metadata.labels }),
      annotations: {
        ...metadata?.annotations,
        "batch.kubernetes.io/cronjob-scheduled-timestamp": zonedTime(timeMs, cronJob.spec.timeZone),
      },
      name: jobName(cronJob, timeMs),
      ownerReferences: [ownerReference(cronJob, { controller: true })],
    },
    ...(spec && { spec }),
  };
}

/** Returns a time as the clocks of a time zone show it, such as `2026-01-01T09:00:00+09:00`. */
function zonedTime(timeMs: number, timeZone = "UTC"): string {
  // The common zone needs no formatter, which takes longer to create than the Job.
  if (timeZone === "UTC") return formatTime(timeMs);
  // Swedish dates are those of ISO 8601.
  const format = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" });
  const wall = format.format(timeMs).replace(" ", "T");
  const offset = Date.parse(`${wall}Z`) - timeMs;
  if (offset === 0) return `${wall}Z`;
  const [, difference] = /T(\d\d:\d\d)/.exec(formatTime(Math.abs(offset)))!;
  return `${wall}${offset < 0 ? "-" : "+"}${difference}`;
}

/** Returns a reference to a Job for the status. */
function referenceTo({ metadata }: DeepReadonly<Job>): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata!;
  return { apiVersion: "batch/v1", kind: "Job", name, namespace, uid, resourceVersion };
}
