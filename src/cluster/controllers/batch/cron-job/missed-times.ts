import type { CronSchedule } from "../../../../internal/cron-schedule.js";

/** Missed times after which a CronJob is warned about: its clock or its deadline may be wrong. */
const manyTimes = 100;

/** Times of a schedule that are due. */
export interface DueTimes {
  /** The last time that is due; `undefined` if none is. */
  readonly last: number | undefined;
  /** True if more than 100 times are due. */
  readonly many: boolean;
  /** The first time that isn't due yet; `undefined` if the schedule ends. */
  readonly next: number | undefined;
}

/** Finds the times of a schedule after `afterMs` that are due at `nowMs`. */
export function dueTimes(
  schedule: CronSchedule,
  { afterMs, nowMs, timeZone }: { afterMs: number; nowMs: number; timeZone: string | undefined },
): DueTimes {
  let last: number | undefined;
  let next = schedule.next(afterMs, timeZone);
  for (let count = 0; next !== undefined && next <= nowMs; count++) {
    if (count === manyTimes)
      return { last: lastBefore(schedule, next, nowMs, timeZone), many: true, next: schedule.next(nowMs, timeZone) };
    last = next;
    next = schedule.next(next, timeZone);
  }
  return { last, many: false, next };
}

/** Searches backwards from now in growing steps, because a frequent schedule may have missed millions of times. */
function lastBefore(schedule: CronSchedule, firstMs: number, nowMs: number, timeZone: string | undefined): number {
  for (let stepMs = 60_000; ; stepMs *= 2) {
    const from = Math.max(firstMs, nowMs - stepMs);
    let last = from === firstMs ? firstMs : undefined;
    for (
      let time = schedule.next(from, timeZone);
      time !== undefined && time <= nowMs;
      time = schedule.next(time, timeZone)
    )
      last = time;
    if (last !== undefined) return last;
  }
}
