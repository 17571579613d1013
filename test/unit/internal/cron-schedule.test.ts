import { describe, expect, it } from "vitest";
import { parseCronSchedule } from "../../../src/internal/cron-schedule.js";

/** Returns the next times of a schedule as `2026-01-01T00:00Z`. */
function times(schedule: string, after: string, count: number, timeZone?: string): string[] {
  const parsed = parseCronSchedule(schedule)!;
  const found: string[] = [];
  let moment: number | undefined = Date.parse(after);
  while (found.length < count) {
    moment = parsed.next(moment!, timeZone);
    if (moment === undefined) break;
    found.push(new Date(moment).toISOString().replace(/:00\.000Z$/, "Z"));
  }
  return found;
}

describe("cron schedules", () => {
  it.each<[string, string, string[]]>([
    ["*/15 * * * *", "2026-01-01T00:00:00Z", ["2026-01-01T00:15Z", "2026-01-01T00:30Z"]],
    ["5/20 1 * * *", "2026-01-01T01:05:00Z", ["2026-01-01T01:25Z", "2026-01-01T01:45Z", "2026-01-02T01:05Z"]],
    ["0 9-17/4 * * MON-fri", "2026-01-02T14:00:00Z", ["2026-01-02T17:00Z", "2026-01-05T09:00Z"]],
    ["30 4 1,15 * 5", "2026-01-01T05:00:00Z", ["2026-01-02T04:30Z", "2026-01-09T04:30Z", "2026-01-15T04:30Z"]],
    ["0 0 29 feb ?", "2026-01-01T00:00:00Z", ["2028-02-29T00:00Z"]],
    ["@daily", "2026-12-31T12:00:00Z", ["2027-01-01T00:00Z"]],
    ["@weekly", "2026-01-01T00:00:00Z", ["2026-01-04T00:00Z"]],
    ["@yearly", "2026-01-01T00:00:00Z", ["2027-01-01T00:00Z"]],
    ["@every 1h30m", "2026-01-01T00:00:00Z", ["2026-01-01T01:30Z", "2026-01-01T03:00Z"]],
    ["TZ=Asia/Tokyo 0 8 * * *", "2026-01-01T00:00:00Z", ["2026-01-01T23:00Z"]],
    ["0 0 30 2 *", "2026-01-01T00:00:00Z", []],
  ])("%s runs after %s at %j", (schedule, after, expected) => {
    expect(times(schedule, after, Math.max(1, expected.length))).toEqual(expected);
  });

  it("skip a time that the clocks skip in spring", () => {
    expect(times("30 2 * * *", "2026-03-28T12:00:00Z", 2, "Europe/Berlin")).toEqual([
      "2026-03-30T00:30Z",
      "2026-03-31T00:30Z",
    ]);
  });

  it("run twice at a time that the clocks repeat in autumn", () => {
    expect(times("30 2 * * *", "2026-10-24T12:00:00Z", 3, "Europe/Berlin")).toEqual([
      "2026-10-25T00:30Z",
      "2026-10-25T01:30Z",
      "2026-10-26T01:30Z",
    ]);
  });

  it.each([
    "",
    "* * * *",
    "60 * * * *",
    "* * 0 * *",
    "5-1 * * * *",
    "*/0 * * * *",
    "* * * * 7",
    "1-2-3 * * * *",
    "jan * * * *",
    "@sometimes",
    "@every soon",
    "TZ=Nowhere/Here * * * * *",
    "1,,2 * * * *",
  ])("refuse %j", (schedule) => {
    expect(parseCronSchedule(schedule)).toBeUndefined();
  });
});
