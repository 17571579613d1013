import type { Job, JobStatus } from "../../../../kinds/batch/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import * as check from "../../shared/checks.js";
import { duplicate, invalid, required } from "../../shared/field-errors.js";
import { countIndexes, indexInterval, wrongIndexes } from "./job-policies.js";

type Type = "Complete" | "Failed" | "FailureTarget" | "SuccessCriteriaMet" | "Suspended";

const is = ({ status }: Job, type: Type, value = "True"): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === value);
const isFinished = (job: Job): boolean => is(job, "Complete") || is(job, "Failed");

function conditionError(detail: string): FieldError {
  return invalid("status.conditions", undefined, detail);
}

/** Validates a Job's status. An invalid part that hasn't changed may stay. */
export function validateJobStatus(job: Job, old: Job): FieldError[] {
  const [status, before] = [job.status ?? {}, old.status ?? {}];
  return [
    ...countErrors(status),
    ...finishErrors(job, old),
    ...indexErrors(job, old),
    ...conditionErrors(job),
    ...changeErrors(job, old, status, before),
  ];
}

function countErrors(status: JobStatus): FieldError[] {
  const errors = check.nonNegativeFields(status, "status", ["active", "succeeded", "failed", "ready", "terminating"]);
  const seen = new Set<string>();
  for (const key of ["succeeded", "failed"] as const) {
    (status.uncountedTerminatedPods?.[key] ?? []).forEach((uid, index) => {
      const field = `status.uncountedTerminatedPods.${key}[${String(index)}]`;
      if (uid === "") errors.push(invalid(field, uid, "must not be empty"));
      else if (seen.has(uid)) errors.push(duplicate(field, uid));
      seen.add(uid);
    });
  }
  return errors;
}

/** True if one of the conditions or fields differs between two states of a Job. */
function changes(job: Job, old: Job, conditions: readonly Type[], fields: readonly (keyof JobStatus)[] = []): boolean {
  return (
    conditions.some((type) => is(job, type) !== is(old, type)) ||
    fields.some((key) => !check.sameValue(job.status?.[key], old.status?.[key]))
  );
}

/** Validates a finished Job if it has just finished or the field has just changed. */
function finishErrors(job: Job, old: Job): FieldError[] {
  const errors: FieldError[] = [];
  const {
    completionTime: completed,
    startTime: started,
    active = 0,
    terminating = 0,
    uncountedTerminatedPods: uncounted,
  } = job.status ?? {};
  const [complete, finished] = [is(job, "Complete"), isFinished(job)];
  const both = (other: Type, detail: string): void => {
    if (changes(job, old, ["Complete", other]) && complete && is(job, other)) errors.push(conditionError(detail));
  };
  both("Failed", "cannot set Complete=True and Failed=true conditions");
  both("FailureTarget", "cannot set Complete=True and FailureTarget=true conditions");
  if (changes(job, old, ["Complete"], ["completionTime"])) {
    if (completed !== undefined && !complete)
      errors.push(invalid("status.completionTime", completed, "cannot be set without the Complete=True condition"));
    if (completed === undefined && complete)
      errors.push(required("status.completionTime", "completionTime is required for Complete jobs"));
  }
  if (
    changes(job, old, [], ["startTime", "completionTime"]) &&
    started !== undefined &&
    completed !== undefined &&
    Date.parse(completed ?? "") < Date.parse(started ?? "")
  )
    errors.push(invalid("status.completionTime", completed, "must be equal to or after `startTime`"));
  if (changes(job, old, ["Failed"], ["failedIndexes"]) && is(job, "Failed") && !is(job, "FailureTarget"))
    errors.push(conditionError("cannot set Failed=True condition without the FailureTarget=true condition"));
  if (changes(job, old, ["Complete", "SuccessCriteriaMet"]) && complete && !is(job, "SuccessCriteriaMet"))
    errors.push(conditionError("cannot set Complete=True condition without the SuccessCriteriaMet=true condition"));
  const news = finished !== isFinished(old);
  const about = (key: keyof JobStatus): boolean => finished && (news || changes(job, old, [], [key]));
  if (about("active") && active > 0)
    errors.push(invalid("status.active", active, "active>0 is invalid for finished job"));
  const nothingToDo = job.spec?.suspend === true && job.spec.completions === 0;
  if (about("startTime") && started === undefined && !nothingToDo)
    errors.push(required("status.startTime", "startTime is required for finished job"));
  const left = (uncounted?.succeeded ?? []).length + (uncounted?.failed ?? []).length;
  if (about("uncountedTerminatedPods") && left > 0)
    errors.push(invalid("status.uncountedTerminatedPods", uncounted, "must be empty for finished job"));
  if (about("terminating") && terminating > 0)
    errors.push(invalid("status.terminating", terminating, "terminating>0 is invalid for finished job"));
  return errors;
}

function indexErrors(job: Job, old: Job): FieldError[] {
  const errors: FieldError[] = [];
  const { completedIndexes: completed = "", failedIndexes: failed } = job.status ?? {};
  const { completions, backoffLimitPerIndex: limit, completionMode } = job.spec ?? {};
  const [newCompleted, newFailed] = [
    changes(job, old, [], ["completedIndexes"]),
    changes(job, old, [], ["failedIndexes"]),
  ];
  const look = (key: "completedIndexes" | "failedIndexes", text: string): void => {
    if (countIndexes(text, completions ?? 0) === undefined) errors.push(invalid(`status.${key}`, text, wrongIndexes));
  };
  if (newCompleted && completions !== undefined) look("completedIndexes", completed);
  if (newFailed && completions !== undefined && limit !== undefined && failed !== undefined)
    look("failedIndexes", failed);
  if (newCompleted && completed !== "" && completionMode !== "Indexed")
    errors.push(invalid("status.completedIndexes", completed, "requires indexed completion mode"));
  if (newFailed && limit === undefined && failed !== undefined)
    errors.push(invalid("status.failedIndexes", failed, "requires backoffLimitPerIndex"));
  if ((newCompleted || newFailed) && overlap(completed, failed ?? "", completions))
    errors.push(invalid("status.failedIndexes", failed, "must not overlap with completedIndexes"));
  return errors;
}

/** True if an index is in both texts. */
function overlap(completed: string, failed: string, completions: number | undefined): boolean {
  if (completions === undefined || completed === "" || failed === "") return false;
  const parsed = (text: string): (readonly [number, number])[] =>
    text.split(",").flatMap((part) => {
      const interval = indexInterval(part, completions);
      return interval === undefined ? [] : [interval];
    });
  const [done, other] = [parsed(completed), parsed(failed)].map((intervals) => intervals.toSorted(([a], [b]) => a - b));
  // Of two intervals that don't overlap, the earlier one can't overlap with a later one either.
  for (let at = 0, against = 0; at < done!.length && against < other!.length; ) {
    const [[from, to], [first, last]] = [done![at]!, other![against]!];
    if (from <= last && first <= to) return true;
    if (to < first) at++;
    else against++;
  }
  return false;
}

function conditionErrors(job: Job): FieldError[] {
  const errors: FieldError[] = [];
  const met = is(job, "SuccessCriteriaMet");
  if (met && is(job, "Failed"))
    errors.push(conditionError("cannot set SuccessCriteriaMet=True and Failed=true conditions"));
  if (met && is(job, "FailureTarget"))
    errors.push(conditionError("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"));
  if (job.spec?.successPolicy !== undefined && !met && is(job, "Complete"))
    errors.push(conditionError("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"));
  return errors;
}

/** Returns the errors of changes that aren't allowed, such as decreasing counts. */
function changeErrors(job: Job, old: Job, status: JobStatus, before: JobStatus): FieldError[] {
  const errors: FieldError[] = [];
  const { ready, active = 0 } = status;
  if (changes(job, old, [], ["ready", "active"]) && ready !== undefined && ready > active)
    errors.push(invalid("status.ready", ready, "cannot set more ready pods than active"));
  for (const type of ["Failed", "Complete", "FailureTarget"] as const)
    if (is(old, type) && !is(job, type))
      errors.push(conditionError(`cannot disable the terminal ${type}=True condition`));
  const elastic = job.spec?.completionMode === "Indexed" && job.spec.completions === job.spec.parallelism;
  for (const key of elastic ? (["failed"] as const) : (["failed", "succeeded"] as const))
    if ((status[key] ?? 0) < (before[key] ?? 0))
      errors.push(invalid(`status.${key}`, status[key] ?? 0, `cannot decrease the ${key} counter`));
  if (
    status.completionTime !== undefined &&
    before.completionTime !== undefined &&
    status.completionTime !== before.completionTime
  )
    errors.push(invalid("status.completionTime", status.completionTime, "field is immutable"));
  const resumes = is(old, "Suspended") && is(job, "Suspended", "False");
  if (before.startTime !== undefined && before.startTime !== status.startTime && !resumes && job.spec?.suspend !== true)
    errors.push(invalid("status.startTime", status.startTime, "field is immutable for unsuspended job once set"));
  if (is(old, "SuccessCriteriaMet") && !is(job, "SuccessCriteriaMet"))
    errors.push(conditionError("cannot disable the SuccessCriteriaMet=True condition"));
  if (is(old, "Complete") && !is(old, "SuccessCriteriaMet") && is(job, "SuccessCriteriaMet"))
    errors.push(conditionError("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"));
  return errors;
}
