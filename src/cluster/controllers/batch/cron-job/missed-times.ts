import type { CronSchedule } from "../../../../internal/cron-schedule.js";

/** Missed times after which a CronJob is warned about: its clock or its deadline may be wrong. */
const manyTimes = 100;

/** Times of a schedule that are due. */
export interface DueTimes {
  /** The last time that is due; `undefined` if none is. */
  readonly last: number | undefined;
  /** Number of times that are due, estimated from the distance of the first two. */
  readonly count: number;
  /** True if more than 100 times are due. */
  readonly many: boolean;
}

/**
 * Finds the times of a schedule after `afterMs` that are due at `nowMs`. Like upstream, it starts the search where regular
 * times would be, so that it doesn't count all times of a long period. A schedule whose first two times lie closer
 * together than the others may have none there.
 */
export function dueTimes(
  schedule: CronSchedule,
  { afterMs, nowMs, timeZone }: { afterMs: number; nowMs: number; timeZone: string | undefined },
): DueTimes {
  const first = schedule.next(afterMs, timeZone);
  if (first === undefined || first > nowMs) return { last: undefined, count: 0, many: false };
  const second = schedule.next(first, timeZone);
  if (second === undefined || second > nowMs) return { last: first, count: 1, many: false };
  const distanceMs = second - first;
  const count = Math.floor((nowMs - first) / distanceMs) + 1;
  let last: number | undefined;
  let time = schedule.next(first + (count - 2) * distanceMs, timeZone);
  for (; time !== undefined && time <= nowMs; time = schedule.next(time, timeZone)) last = time;
  return { last, count, many: count > manyTimes };
}

/** Returns the time of the next run; `undefined` if the schedule ends. Intervals such as `@every 5m` count from a run. */
export function nextRun(
  schedule: CronSchedule,
  { afterMs, nowMs, timeZone }: { afterMs: number; nowMs: number; timeZone: string | undefined },
): number | undefined {
  const { last, count } = dueTimes(schedule, { afterMs, nowMs, timeZone });
  return schedule.next(last ?? (count === 0 ? afterMs : nowMs), timeZone);
}
