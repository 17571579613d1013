import { parseCronSchedule } from "../../../internal/cron-schedule.js";
import { pushAll } from "../../../internal/push-all.js";
import type { CronJob, JobSpec } from "../../../kinds/batch/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { dropDisabled } from "../core/pod/drop-disabled.js";
import { containerCells, hasChanged, nameWarnings } from "../core/pod/workload.js";
import * as check from "../shared/checks.js";
import { invalid, notSupported, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { isSet } from "../shared/kind-printer.js";
import { formatAge } from "../shared/print-age.js";
import { formatSelector } from "../shared/print-labels.js";
import { validateJobSpec } from "./job/job-errors.js";
import { jobWarnings } from "./job/job-warnings.js";
import { isTimeZone } from "./time-zone.js";

const concurrencyPolicies: readonly string[] = ["Allow", "Forbid", "Replace"];

function setDefaults({ spec }: CronJob): void {
  if (spec === undefined) return;
  spec.concurrencyPolicy ??= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
}

function dropDisabledInTemplate({ spec }: CronJob): void {
  dropDisabled(spec?.jobTemplate?.spec?.template?.spec);
}

function validate(job: CronJob): FieldError[] {
  const name = job.metadata?.name ?? "";
  return [
    ...specErrors(job, undefined),
    ...(name.length > 52 ? [invalid("metadata.name", name, "must be no more than 52 characters")] : []),
  ];
}

/** Validates a spec. A time zone in the old schedule may stay, and so may an unknown one. */
function specErrors({ spec }: CronJob, old: CronJob | undefined): FieldError[] {
  if (spec === undefined) return [];
  const { schedule, timeZone, concurrencyPolicy: policy } = spec;
  const errors: FieldError[] = [];
  if (schedule === "") errors.push(required("spec.schedule"));
  else {
    if (parseCronSchedule(schedule) === undefined)
      errors.push(invalid("spec.schedule", schedule, "must be a cron schedule"));
    if (schedule.includes("TZ") && (timeZone !== undefined || old?.spec?.schedule.includes("TZ") !== true))
      errors.push(
        invalid("spec.schedule", schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"),
      );
  }
  pushAll(errors, check.nonNegative("spec.startingDeadlineSeconds", spec.startingDeadlineSeconds));
  if (timeZone !== undefined && (old === undefined || old.spec?.timeZone !== timeZone) && !isTimeZone(timeZone))
    errors.push(invalid("spec.timeZone", timeZone, "must be the name of a time zone"));
  if (policy !== undefined && !concurrencyPolicies.includes(policy))
    errors.push(notSupported("spec.concurrencyPolicy", policy, concurrencyPolicies));
  if (spec.jobTemplate.spec !== undefined) pushAll(errors, jobErrors(spec.jobTemplate.spec));
  return [
    ...errors,
    ...check.nonNegativeFields(spec, "spec", ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"]),
  ];
}

/** Validates the template's spec, which has no selector: each Job gets its own. */
function jobErrors(job: JobSpec): FieldError[] {
  const at = "spec.jobTemplate.spec";
  const errors = validateJobSpec(job, at);
  if (job.selector !== undefined)
    errors.push(invalid(`${at}.selector`, job.selector, "`selector` will be auto-generated"));
  if (job.manualSelector === true) errors.push(notSupported(`${at}.manualSelector`, true, ["nil", "false"]));
  return errors;
}

export const cronJob: KindDefinition = defineBuiltin<CronJob>({
  resource: "batch/cronjobs",
  metadata: { checksOfSubresources: 0 },
  generation: { counts: "fromOne" },
  defaults: { "io.k8s.api.batch.v1.CronJob": setDefaults },
  prepare: {
    create(job) {
      delete job.status;
      dropDisabledInTemplate(job);
    },
    update: dropDisabledInTemplate,
  },
  validate: { create: validate, update: specErrors },
  warnings: (job, old) =>
    old !== undefined && !hasChanged(job.spec, old.spec)
      ? []
      : [
          ...(old === undefined ? nameWarnings(job) : []),
          ...jobWarnings(job.spec?.jobTemplate.spec, undefined, "spec.jobTemplate.spec"),
        ],
  printer: {
    columns: "Schedule,Timezone,Suspend:boolean,Active:integer,Last Schedule,Age,Containers*,Images*,Selector*",
    cells: ({ spec, status }, age, nowMs) => [
      spec?.schedule ?? "",
      spec?.timeZone ?? "<none>",
      spec?.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False",
      status?.active?.length ?? 0,
      isSet(status?.lastScheduleTime) ? formatAge(status.lastScheduleTime, nowMs) : "<none>",
      age,
      ...containerCells(spec?.jobTemplate.spec?.template.spec?.containers),
      formatSelector(spec?.jobTemplate.spec?.selector),
    ],
  },
});
