import type { CronJob, JobSpec } from "../../../kinds/batch/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { invalid, invalidNamed, nonNegative, notSupported, required } from "../shared/field-errors.js";
import { validateJobSpec } from "./validate-jobs.js";

/** Errors of a CronJob. */
export function validateCronJob(job: CronJob): FieldError[] {
  const errors = specErrors(job, undefined);
  const name = job.metadata?.name ?? "";
  if (name.length > 52) errors.push(invalid("metadata.name", name, "must be no more than 52 characters"));
  return errors;
}

/** Errors of a changed CronJob: a time zone in the old schedule may stay, and one that was wrong already. */
export function validateCronJobUpdate(job: CronJob, old: CronJob): FieldError[] {
  return specErrors(job, old);
}

function specErrors({ spec }: CronJob, old: CronJob | undefined): FieldError[] {
  if (spec === undefined) return [];
  const errors: FieldError[] = [];
  if (spec.schedule === "") errors.push(required("spec.schedule"));
  else
    errors.push(
      ...scheduleErrors(spec.schedule),
      ...zoneInSchedule(spec.schedule, spec.timeZone, old?.spec?.schedule.includes("TZ") === true),
    );
  errors.push(...nonNegative("spec.startingDeadlineSeconds", spec.startingDeadlineSeconds));
  if (old === undefined || old.spec?.timeZone !== spec.timeZone) errors.push(...timeZoneErrors(spec.timeZone));
  const concurrency = spec.concurrencyPolicy;
  if (concurrency !== undefined && !POLICIES.includes(concurrency))
    errors.push(notSupported("spec.concurrencyPolicy", concurrency, POLICIES));
  const job = spec.jobTemplate.spec;
  if (job !== undefined) errors.push(...jobErrors(job));
  for (const key of ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"] as const)
    errors.push(...nonNegative(`spec.${key}`, spec[key]));
  return errors;
}

const POLICIES: readonly string[] = ["Allow", "Forbid", "Replace"];

/** The selector of the Jobs is made for each of them. */
function jobErrors(job: JobSpec): FieldError[] {
  const at = "spec.jobTemplate.spec";
  const errors = validateJobSpec(job, at);
  if (job.selector !== undefined)
    errors.push(invalid(`${at}.selector`, job.selector, "`selector` will be auto-generated"));
  if (job.manualSelector === true) errors.push(notSupported(`${at}.manualSelector`, true, ["nil", "false"]));
  return errors;
}

function zoneInSchedule(schedule: string, timeZone: string | undefined, allowed: boolean): FieldError[] {
  if (!schedule.includes("TZ")) return [];
  if (!allowed)
    return [invalid("spec.schedule", schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")];
  return timeZone === undefined
    ? []
    : [invalid("spec.schedule", schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule")];
}

function timeZoneErrors(timeZone: string | undefined): FieldError[] {
  if (timeZone === undefined) return [];
  const wrong = (detail: string): FieldError[] => [invalidNamed("spec.timeZone", timeZone, detail)];
  if (timeZone === "") return wrong("timeZone must be nil or non-empty string");
  if (
    !timeZone
      .split("/")
      .every((part) => /^[A-Za-z._0-9+][A-Za-z._0-9+-]{0,13}$/.test(part) && part !== "." && part !== "..")
  )
    return wrong(`unknown time zone ${timeZone}`);
  if (timeZone.toLowerCase() === "local")
    return wrong("timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  return isTimeZone(timeZone) ? [] : wrong(`unknown time zone ${timeZone}`);
}

function isTimeZone(name: string): boolean {
  // The platform also takes offsets, which are no names, and names in any case, where a real server looks for a file.
  if (!name.split("/").every((part) => /^[A-Z]/.test(part))) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const CRON_FIELDS: readonly (readonly [least: number, most: number])[] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
];
const CRON_NAMES = /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)$/i;

/** Errors of the five fields, or of a name such as `@daily`. */
function scheduleErrors(schedule: string): FieldError[] {
  const wrong = (detail: string): FieldError[] => [invalid("spec.schedule", schedule, detail)];
  if (schedule.startsWith("@"))
    return /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every .+)$/.test(schedule)
      ? []
      : wrong(`unrecognized descriptor: ${schedule}`);
  const fields = schedule
    .replace(/^(CRON_)?TZ=\S+\s+/, "")
    .trim()
    .split(/\s+/);
  if (fields.length !== 5)
    return wrong(`expected exactly 5 fields, found ${String(fields.length)}: [${fields.join(" ")}]`);
  for (const [index, field] of fields.entries()) {
    const [least, most] = CRON_FIELDS[index] ?? [0, 0];
    for (const part of field.split(",")) {
      const [range = "", step] = part.split("/");
      for (const end of range.split("-")) {
        if (end === "*" || end === "?" || CRON_NAMES.test(end)) continue;
        if (!/^\d+$/.test(end))
          return wrong(`failed to parse int from ${end}: strconv.Atoi: parsing ${JSON.stringify(end)}: invalid syntax`);
        if (Number(end) < least) return wrong(`beginning of range (${end}) below minimum (${String(least)}): ${part}`);
        if (Number(end) > most) return wrong(`end of range (${end}) above maximum (${String(most)}): ${part}`);
      }
      if (step !== undefined && !/^[1-9]\d*$/.test(step))
        return wrong(
          step === "0"
            ? `step of range should be a positive number: ${part}`
            : `failed to parse int from ${step}: strconv.Atoi: parsing ${JSON.stringify(step)}: invalid syntax`,
        );
    }
  }
  return [];
}
