import { describe, expect, it } from "vitest";
import { cronJob } from "../../../../../src/apiserver/kinds/batch/cron-job.js";
import type { ApiObject } from "../../../../../src/apiserver/objects/api-object.js";
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
const errorsOf = (object: CronJob, old?: CronJob): string[] =>
  (old === undefined
    ? cronJob.validate!.create(object as unknown as ApiObject)
    : cronJob.validate!.update!(object as unknown as ApiObject, old as unknown as ApiObject)
  )
    .map(({ field }) => field)
    .filter((field) => !field.startsWith("spec.jobTemplate"));
const daily = "0 0 * * *";

describe("CronJob", () => {
  it.each(["Europe/Berlin", "America/Argentina/Buenos_Aires", "UTC", undefined])("accepts the time zone %j", (zone) => {
    expect(errorsOf(job(daily, zone))).toEqual([]);
  });

  it.each(["", "Local", "bad-time-zone", "europe/berlin", "+01:00", "Europe/../Berlin"])(
    "rejects the time zone %j",
    (zone) => {
      expect(errorsOf(job(daily, zone))).toEqual(["spec.timeZone"]);
    },
  );

  it.each([
    ["TZ=UTC * * * * *", 1],
    ["CRON_TZ=UTC * * * * *", 1],
    ["* TZ * * *", 2],
  ])("rejects a time zone in the schedule %s", (schedule, causes) => {
    expect(errorsOf(job(schedule))).toEqual(Array(causes).fill("spec.schedule"));
  });

  it("keeps an invalid time zone that it had before", () => {
    expect(errorsOf(job("1 0 * * *", "Mars/Base"), job(daily, "Mars/Base"))).toEqual([]);
    expect(errorsOf(job("TZ=UTC 1 0 * * *"), job("TZ=UTC 0 0 * * *"))).toEqual([]);
    expect(errorsOf(job("TZ=UTC 1 0 * * *", "UTC"), job("TZ=UTC 0 0 * * *", "UTC"))).toEqual(["spec.schedule"]);
  });
});
