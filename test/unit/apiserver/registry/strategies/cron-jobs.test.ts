import { describe, expect, it } from "vitest";
import {
  validateCronJob,
  validateCronJobUpdate,
} from "../../../../../src/apiserver/kinds/validation/validate-cron-jobs.js";
import type { CronJob } from "../../../../../src/kinds/batch/v1.js";

const job = (schedule: string, timeZone?: string): CronJob =>
  ({
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "a" },
    spec: {
      schedule,
      ...(timeZone === undefined ? {} : { timeZone }),
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
      },
    },
  }) as CronJob;
const said = (errors: { field: string; detail: string }[]): string[] =>
  errors.filter(({ field }) => !field.startsWith("spec.jobTemplate")).map(({ field, detail }) => `${field}: ${detail}`);
const daily = "0 0 * * *";
const inSchedule = "spec.schedule: cannot use TZ or CRON_TZ in schedule, use timeZone field instead";

describe("time zones of CronJobs", () => {
  it.each([
    [undefined, []],
    ["Europe/Berlin", []],
    ["America/Argentina/Buenos_Aires", []],
    ["UTC", []],
    ["", ["spec.timeZone: timeZone must be nil or non-empty string"]],
    ["Local", ["spec.timeZone: timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"]],
    ["bad-time-zone", ["spec.timeZone: unknown time zone bad-time-zone"]],
    ["europe/berlin", ["spec.timeZone: unknown time zone europe/berlin"]],
    ["+01:00", ["spec.timeZone: unknown time zone +01:00"]],
    ["Europe/../Berlin", ["spec.timeZone: unknown time zone Europe/../Berlin"]],
  ])("%j", (zone, wanted) => {
    expect(said(validateCronJob(job(daily, zone)))).toEqual(wanted);
  });

  it.each([
    ["TZ=UTC * * * * *", [inSchedule]],
    ["CRON_TZ=UTC * * * * *", [inSchedule]],
    [
      "* TZ * * *",
      ['spec.schedule: failed to parse int from TZ: strconv.Atoi: parsing "TZ": invalid syntax', inSchedule],
    ],
  ])("in the schedule %s", (schedule, wanted) => {
    expect(said(validateCronJob(job(schedule)))).toEqual(wanted);
  });

  it("that were wrong before may stay", () => {
    expect(said(validateCronJobUpdate(job("1 0 * * *", "Mars/Base"), job(daily, "Mars/Base")))).toEqual([]);
    expect(said(validateCronJobUpdate(job("TZ=UTC 1 0 * * *"), job("TZ=UTC 0 0 * * *")))).toEqual([]);
    expect(said(validateCronJobUpdate(job("TZ=UTC 1 0 * * *", "UTC"), job("TZ=UTC 0 0 * * *", "UTC")))).toEqual([
      "spec.schedule: cannot use both timeZone field and TZ or CRON_TZ in schedule",
    ]);
  });
});
