import { describe, expect, it } from "vitest";
import { dueTimes, nextRun } from "../../../../../src/cluster/controllers/batch/cron-job/missed-times.js";
import { parseCronSchedule } from "../../../../../src/internal/cron-schedule.js";

const at = (text: string): number => Date.parse(`2026-01-${text}Z`);

/** A schedule, the time after which and until which it runs, the last time that is due, and the next one. */
interface Row {
  readonly schedule: string;
  readonly after: string;
  readonly now: string;
  readonly last: string | undefined;
  readonly many?: boolean;
  readonly next: string;
}

const rows: readonly Row[] = [
  { schedule: "0 * * * *", after: "01T00:10:00", now: "01T00:50:00", last: undefined, next: "01T01:00:00" },
  { schedule: "0 * * * *", after: "01T00:10:00", now: "01T01:00:00", last: "01T01:00:00", next: "01T02:00:00" },
  { schedule: "0 * * * *", after: "01T00:10:00", now: "01T05:10:00", last: "01T05:00:00", next: "01T06:00:00" },
  { schedule: "0 * * * *", after: "01T00:10:00", now: "05T04:30:00", last: "05T04:00:00", next: "05T05:00:00" },
  {
    schedule: "0 * * * *",
    after: "01T00:10:00",
    now: "05T05:30:00",
    last: "05T05:00:00",
    many: true,
    next: "05T06:00:00",
  },
  // The times of intervals follow from the first.
  { schedule: "@every 1h", after: "01T00:10:00", now: "01T05:50:00", last: "01T05:10:00", next: "01T06:10:00" },
  { schedule: "@every 5m", after: "01T00:00:00", now: "01T00:07:00", last: "01T00:05:00", next: "01T00:10:00" },
  // An hour between the first two times, but 14 until the first one of the next day.
  { schedule: "30 6-16/4 * * 1-5", after: "01T00:00:00", now: "02T05:00:00", last: undefined, next: "02T06:30:00" },
  { schedule: "30 6-16/4 * * 1-5", after: "01T00:00:00", now: "02T15:00:00", last: "02T14:30:00", next: "05T06:30:00" },
];

describe("missed times of a CronJob", () => {
  it.each(rows)("of $schedule after $after at $now end with $last, and the next is $next", (row) => {
    const schedule = parseCronSchedule(row.schedule)!;
    const bounds = { afterMs: at(row.after), nowMs: at(row.now), timeZone: undefined };
    const { last, many } = dueTimes(schedule, bounds);
    expect(last).toBe(row.last === undefined ? undefined : at(row.last));
    expect(many).toBe(row.many ?? false);
    expect(nextRun(schedule, bounds)).toBe(at(row.next));
  });
});
