import type { Job, JobCondition } from "../../../../kinds/batch/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { parseTime } from "../../../../meta/time.js";
import { formatIndexes } from "./indexes.js";
import { matchSuccessPolicy } from "./policies.js";
import { type Tally, total } from "./tally.js";

/** The decision that a Job ends. Its pods may still have to end before the Job counts as finished. */
export interface Ending {
  readonly type: "FailureTarget" | "SuccessCriteriaMet";
  readonly reason: string;
  readonly message: string;
}

/** Returns the condition of a finished Job. */
export function finishedCondition(job: DeepReadonly<Job>): DeepReadonly<JobCondition> | undefined {
  return job.status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
}

/** Returns why a Job ends; `undefined` while it runs. A decision that the status holds is final. */
export function findEnding(job: DeepReadonly<Job>, counted: Tally, nowMs: number): Ending | undefined {
  for (const { type, status, reason = "", message = "" } of job.status?.conditions ?? [])
    if ((type === "FailureTarget" || type === "SuccessCriteriaMet") && status === "True")
      return { type, reason, message };
  return findFailure(job, counted, nowMs) ?? findSuccess(job, counted);
}

function findFailure(job: DeepReadonly<Job>, counted: Tally, nowMs: number): Ending | undefined {
  const fail = (reason: string, message: string): Ending => ({ type: "FailureTarget", reason, message });
  const { spec } = job;
  if (counted.failJob !== undefined) return fail("PodFailurePolicy", counted.failJob);
  if (exceedsBackoffLimit(job, counted))
    return fail("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  if (deadlineInMs(job, nowMs) === 0) return fail("DeadlineExceeded", "Job was active longer than specified deadline");
  const { completed, failed } = counted.indexes;
  if (spec?.backoffLimitPerIndex === undefined || failed.size === 0) return undefined;
  if (spec.maxFailedIndexes !== undefined && failed.size > spec.maxFailedIndexes)
    return fail("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  if (completed.size + failed.size >= (spec.completions ?? 0)) return fail("FailedIndexes", "Job has failed indexes");
  return undefined;
}

function findSuccess(job: DeepReadonly<Job>, counted: Tally): Ending | undefined {
  const rule = matchSuccessPolicy(job, counted.indexes.completed);
  if (rule !== undefined)
    return { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message: `Matched rules at index ${rule}` };
  const { completions } = job.spec ?? {};
  const succeeded = total(counted.succeeded);
  // Without a number of completions, the first success means that the others will end by themselves.
  const complete = completions === undefined ? succeeded > 0 : succeeded >= completions;
  if (!complete || counted.active.length > 0) return undefined;
  return {
    type: "SuccessCriteriaMet",
    reason: "CompletionsReached",
    message: "Reached expected number of succeeded pods",
  };
}

/** Failed pods count against the limit; where containers restart in their pod, the restarts do. */
function exceedsBackoffLimit(job: DeepReadonly<Job>, counted: Tally): boolean {
  const limit = job.spec?.backoffLimit ?? (job.spec?.backoffLimitPerIndex === undefined ? 6 : Number.MAX_SAFE_INTEGER);
  if (total(counted.failed) > limit) return true;
  if (job.spec?.template.spec?.restartPolicy !== "OnFailure") return false;
  let restarts = 0;
  for (const { status } of counted.active) {
    for (const { restartCount } of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
      restarts += restartCount;
  }
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** Returns the time in milliseconds until a running Job exceeds its deadline; `undefined` without one. */
export function deadlineInMs({ spec, status }: DeepReadonly<Job>, nowMs: number): number | undefined {
  const startMs = parseTime(status?.startTime)?.getTime();
  if (spec?.activeDeadlineSeconds === undefined || spec.suspend === true || startMs === undefined) return undefined;
  return Math.max(0, startMs + spec.activeDeadlineSeconds * 1_000 - nowMs);
}

/** Returns the fields of an indexed Job's status. */
export function indexFields(job: DeepReadonly<Job>, { indexes }: Tally): NonNullable<Job["status"]> {
  if (job.spec?.completionMode !== "Indexed") return {};
  return {
    ...(indexes.completed.size > 0 && { completedIndexes: formatIndexes(indexes.completed) }),
    ...(job.spec.backoffLimitPerIndex !== undefined && { failedIndexes: formatIndexes(indexes.failed) }),
  };
}
