import type { EventRecorder } from "../../../../controller/events/event-recorder.js";
import type { Controller, ReconcileContext, ReconcileResult } from "../../../../controller/reconcile/controller.js";
import { createController } from "../../../../controller/reconcile/create-controller.js";
import { enqueueForOwner } from "../../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../../controller/reconcile/kind-source.js";
import { Job, type JobCondition, type JobStatus } from "../../../../kinds/batch/v1.js";
import { Pod } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { formatTime } from "../../../../meta/time.js";
import { getControllerOwner } from "../../../../objects/owner-references.js";
import type { ClusterContext } from "../../context.js";
import { batched } from "../../shared/batched.js";
import { claimPods } from "../../shared/claim-pods.js";
import { enqueueAdopters } from "../../shared/enqueue-adopters.js";
import { forAll } from "../../shared/in-lanes.js";
import { createPodControl } from "../../shared/pod-control.js";
import { isReady, nextCheck } from "../../shared/pods.js";
import { writeStatus } from "../../shared/write-status.js";
import { adjustPods, removePods } from "./adjust-pods.js";
import { createBackOff, pauseInMs } from "./back-off.js";
import { deadlineInMs, type Ending, findEnding, finishedCondition, indexFields } from "./ending.js";
import { isTracked, trackingFinalizer } from "./job-pods.js";
import { failRest, type Tally, tally, total } from "./tally.js";
import { release } from "./tracking.js";

/**
 * Creates the controller that runs the pods of each Job until enough of them have succeeded, or too many have failed.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/job/
 */
export function createJobController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const pods = context.cache(Pod);
  const jobs = context.cache(Job);
  const events = context.recorder("job-controller");
  const backOff = createBackOff();

  async function reconcile(job: DeepReadonly<Job>, call: ReconcileContext<Job>): Promise<ReconcileResult | undefined> {
    const { namespace = "", name = "", uid = "" } = job.metadata ?? {};
    const handle = client.resource(Job).namespace(namespace);
    // A finished Job adopts no pods.
    const isFinished = finishedCondition(job) !== undefined;
    const owned = isFinished
      ? pods.store.byIndex("controller", uid)
      : await claimPods(context, { owner: job, owners: handle, finalizer: trackingFinalizer, signal: call.signal });
    if (isFinished) {
      backOff.forget(uid);
      await forAll(owned.filter(isTracked), (pod) => release(client, pod));
      return undefined;
    }
    const isDeleted = job.metadata?.deletionTimestamp !== undefined;
    const nowMs = clock.now();
    const known = tally(job, owned);
    const failures = backOff.count(uid, known);
    const ending = findEnding(job, known, nowMs);
    const counted = ending?.type === "FailureTarget" ? failRest(known, job) : known;
    const control = createPodControl({ client, events, owner: job, call });
    let failure: unknown;
    let pauseMs = 0;
    let created = 0;
    try {
      // Pods that a success policy ends don't count as failures.
      if (ending?.type === "SuccessCriteriaMet") {
        await forAll(counted.terminating.filter(isTracked), (pod) => release(client, pod));
        await removePods(client, counted.active, control);
      } else if (ending !== undefined) await forAll(counted.active, (pod) => control.delete(pod));
      else if (isDeleted) {
        // The pods end with their owner.
      } else if (job.spec?.suspend === true) await removePods(client, counted.active, control);
      else {
        // Indexes with a limit of their own pause on their own.
        if (job.spec?.backoffLimitPerIndex === undefined) pauseMs = pauseInMs(failures, nowMs);
        const adjusted = await adjustPods({ client, job, counted, control, mayCreate: pauseMs === 0, nowMs });
        ({ created } = adjusted);
        pauseMs ||= adjusted.pauseMs;
      }
    } catch (error) {
      failure = error;
    }
    const status = statusOf(job, { counted, created, ending, nowMs });
    await writeStatus<Job>(handle, job, status, call);
    backOff.remember(uid, failures);
    noteChanges(events, job, status);
    await forAll(isDeleted ? owned : counted.ended, (pod) => release(client, pod));
    const next = nextCheck([pauseMs, deadlineInMs({ ...job, status }, nowMs)]);
    if (failure === undefined) return next;
    // The retry alone could come after the deadline.
    if (next !== undefined) controller.enqueue({ namespace, name }, { delayMs: next.requeueAfterMs });
    throw failure as Error;
  }

  /** Releases the pods of a Job that is gone, which nothing counts. */
  async function releaseOrphans(namespace: string, name: string): Promise<void> {
    const orphans = pods.store.list({ namespace }).filter((pod) => {
      const owner = getControllerOwner(pod);
      return owner?.kind === "Job" && owner.name === name && isTracked(pod);
    });
    await forAll(orphans, (pod) => release(client, pod));
  }

  const controller: Controller = createController({
    name: "job",
    for: client.resource(Job),
    watches: [
      batched(kindSource(client.resource(Pod), enqueueForOwner(Job)), context),
      kindSource(
        client.resource(Pod),
        enqueueAdopters(jobs, ({ spec }) => spec?.selector),
      ),
    ],
    concurrency: 5,
    clock,
    log,
    async reconcile({ namespace, name }, call) {
      if (call.object === undefined) {
        await releaseOrphans(namespace, name);
        return undefined;
      }
      const { managedBy = "kubernetes.io/job-controller" } = call.object.spec ?? {};
      return managedBy === "kubernetes.io/job-controller" ? await reconcile(call.object, call) : undefined;
    },
  });
  return controller;
}

/** Records an event for each condition that the status gained. */
function noteChanges(events: EventRecorder, job: DeepReadonly<Job>, status: JobStatus): void {
  for (const { type, status: value, reason = "", message = "" } of status.conditions ?? []) {
    const old = job.status?.conditions?.find((condition) => condition.type === type);
    if (old?.status === value) continue;
    if (type === "Complete") {
      const note = "Too many succeeded pods running after completion count reached";
      if ((status.succeeded ?? 0) > (job.spec?.completions ?? Number.POSITIVE_INFINITY))
        events.event(job, { type: "Warning", reason: "TooManySucceededPods", note });
      events.event(job, { reason: "Completed", note: "Job completed" });
    } else if (type === "Failed") events.event(job, { type: "Warning", reason, note: message });
    else if (type === "Suspended")
      events.event(job, { reason: value === "True" ? "Suspended" : "Resumed", note: message });
  }
}

function statusOf(
  job: DeepReadonly<Job>,
  { counted, created, ending, nowMs }: { counted: Tally; created: number; ending: Ending | undefined; nowMs: number },
): JobStatus {
  const { active, terminating, succeeded, failed } = counted;
  const now = formatTime(nowMs);
  const old = job.status;
  const conditions = (old?.conditions ?? []).map((condition) => ({ ...condition }));
  const wasSuspended = conditions.some(({ type, status }) => type === "Suspended" && status === "True");
  // A Job that is being deleted is neither suspended nor resumed.
  const suspended = job.metadata?.deletionTimestamp === undefined ? job.spec?.suspend === true : wasSuspended;
  const set = (type: string, status: "True" | "False", reason: string, message: string): void => {
    const known = conditions.find((condition) => condition.type === type);
    if (known?.status === status && known.reason === reason) return;
    const condition: JobCondition = { type, status, reason, message, lastProbeTime: now, lastTransitionTime: now };
    if (known === undefined) conditions.push(condition);
    else Object.assign(known, condition);
  };
  // The pods that this reconcile deletes show up in the next one.
  const running = ending !== undefined || suspended ? [] : active;
  const pending = { succeeded: [...succeeded.pending], failed: [...failed.pending] };
  const status: JobStatus = {
    ...(running.length + created > 0 && { active: running.length + created }),
    ready: running.filter(isReady).length,
    terminating: terminating.length,
    ...(total(succeeded) > 0 && { succeeded: succeeded.settled }),
    ...(total(failed) > 0 && { failed: failed.settled }),
    ...indexFields(job, counted),
    uncountedTerminatedPods: {
      ...(pending.succeeded.length > 0 && { succeeded: pending.succeeded }),
      ...(pending.failed.length > 0 && { failed: pending.failed }),
    },
  };
  // A suspended Job has no start, and one that goes on starts again.
  if (!suspended) status.startTime = wasSuspended ? now : (old?.startTime ?? now);
  if (ending !== undefined) {
    set(ending.type, "True", ending.reason, ending.message);
    if (active.length + terminating.length + pending.succeeded.length + pending.failed.length === 0) {
      const success = ending.type === "SuccessCriteriaMet";
      set(success ? "Complete" : "Failed", "True", ending.reason, ending.message);
      if (success) status.completionTime = now;
    }
  } else if (suspended) set("Suspended", "True", "JobSuspended", "Job suspended");
  else if (wasSuspended) set("Suspended", "False", "JobResumed", "Job resumed");
  if (conditions.length > 0) status.conditions = conditions;
  return status;
}
