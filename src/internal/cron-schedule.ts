/** A time at which a CronJob runs. */
export interface CronSchedule {
  /**
   * Returns the first time after `afterMs`, in milliseconds since the epoch, as the clocks of `timeZone` show it;
   * `undefined` if the next five years have no such time.
   */
  next(afterMs: number, timeZone?: string): number | undefined;
}

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const fields: readonly Field[] = [
  { name: "minute", least: 0, most: 59 },
  { name: "hour", least: 0, most: 23 },
  { name: "day of the month", least: 1, most: 31 },
  { name: "month", least: 1, most: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  { name: "day of the week", least: 0, most: 6, names: "sun mon tue wed thu fri sat".split(" ") },
];
const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const minuteMs = 60_000;
const dayMs = 86_400_000;
const daysToSearch = 5 * 366;

/**
 * Parses a schedule of five fields, or a descriptor such as `@daily` or `@every 90m`. Returns `undefined` for an invalid
 * one. A zone before the fields, as in `TZ=Asia/Tokyo 0 8 * * *`, wins over the zone of a call.
 *
 * @example
 * ```ts
 * import { parseCronSchedule } from "kubestream/objects";
 *
 * const schedule = parseCronSchedule("30 2 * * 1-5");
 * const next = schedule?.next(Date.now(), "Europe/Berlin"); // milliseconds since the epoch
 * console.log(next === undefined ? "never" : new Date(next));
 * ```
 */
export function parseCronSchedule(text: string): CronSchedule | undefined {
  const [prefix, zone] = /^(?:CRON_)?TZ=(\S+)\s+/.exec(text) ?? [];
  if (prefix === undefined || zone === undefined) return parseFields(text);
  const schedule = isZone(zone) ? parseFields(text.slice(prefix.length)) : undefined;
  return schedule && { next: (afterMs) => schedule.next(afterMs, zone) };
}

function isZone(name: string): boolean {
  try {
    offsetMs(0, name);
    return true;
  } catch {
    return false;
  }
}

function parseFields(text: string): CronSchedule | undefined {
  const every = /^@every (.+)$/.exec(text);
  if (every !== null) return parseEvery(every[1]!);
  const parts = (descriptors[text] ?? text).trim().split(/\s+/);
  if (parts.length !== fields.length) return undefined;
  const sets: ReadonlySet<number>[] = [];
  for (const [index, part] of parts.entries()) {
    const set = parseField(part, fields[index]!);
    if (set === undefined) return undefined;
    sets.push(set);
  }
  const [minutes, hours, days, months, weekdays] = sets as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ];
  const anyDay = /^[*?]/.test(parts[2]!) || /^[*?]/.test(parts[4]!);
  /** If both days are restricted, one of them is enough. */
  const matchesDay = (wall: Date): boolean => {
    if (!months.has(wall.getUTCMonth() + 1)) return false;
    const day = days.has(wall.getUTCDate());
    const weekday = weekdays.has(wall.getUTCDay());
    return anyDay ? day && weekday : day || weekday;
  };
  const times = [...hours].flatMap((hour) => [...minutes].map((minute) => (hour * 60 + minute) * minuteMs));
  times.sort((a, b) => a - b);
  return {
    next(afterMs, timeZone = "UTC") {
      const today = Math.floor((afterMs + offsetMs(afterMs, timeZone)) / dayMs) * dayMs;
      for (let day = today - dayMs; day <= today + daysToSearch * dayMs; day += dayMs) {
        if (!matchesDay(new Date(day))) continue;
        const found = firstOfDay(times, day, { afterMs, timeZone });
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/** Returns the first of a day's times after a moment. Times that a clock change skips don't happen, others happen twice. */
function firstOfDay(
  times: readonly number[],
  dayMsOfWall: number,
  { afterMs, timeZone }: { afterMs: number; timeZone: string },
): number | undefined {
  const offsets = new Set([-0.5, 0.5, 1.5].map((days) => offsetMs(dayMsOfWall + days * dayMs, timeZone)));
  let first: number | undefined;
  for (const offset of offsets) {
    const time = times.find((candidate) => {
      const moment = dayMsOfWall + candidate - offset;
      return moment > afterMs && (offsets.size === 1 || offsetMs(moment, timeZone) === offset);
    });
    if (time !== undefined) first = Math.min(first ?? Number.POSITIVE_INFINITY, dayMsOfWall + time - offset);
  }
  return first;
}

/** Reads one field, such as `1-5/2,10` or `mon-fri`. */
function parseField(text: string, field: Field): Set<number> | undefined {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [, range = "", stepText] = /^([^/]+)(?:\/([1-9]\d{0,8}))?$/.exec(part) ?? [];
    const ends = range.split("-");
    if (range === "" || ends.length > 2) return undefined;
    const any = ends.length === 1 && (range === "*" || range === "?");
    const first = any ? field.least : valueOf(ends[0]!, field);
    const single = stepText === undefined ? first : field.most;
    const last = any ? field.most : ends.length === 2 ? valueOf(ends[1]!, field) : single;
    if (first === undefined || last === undefined || first > last) return undefined;
    for (let value = first; value <= last; value += Number(stepText ?? 1)) values.add(value);
  }
  return values;
}

function valueOf(text: string, { least, most, names = [] }: Field): number | undefined {
  const position = names.indexOf(text.toLowerCase());
  if (position !== -1) return position + least;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  return value >= least && value <= most ? value : undefined;
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: minuteMs, s: 1_000, ms: 1 };

/** Reads an interval such as `1h30m`. It is at least one second long and counts whole seconds. */
function parseEvery(text: string): CronSchedule | undefined {
  if (!/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns))+$/.test(text)) return undefined;
  let lengthMs = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/gy))
    lengthMs += Number(amount) * (units[unit!] ?? 0);
  const intervalMs = Math.max(1_000, Math.floor(lengthMs / 1_000) * 1_000);
  return { next: (afterMs) => Math.floor(afterMs / 1_000) * 1_000 + intervalMs };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns how far the clocks of a time zone are ahead of UTC. Throws a `RangeError` for an unknown zone. */
function offsetMs(moment: number, timeZone: string): number {
  if (timeZone === "UTC") return 0;
  let format = formats.get(timeZone);
  if (format === undefined) {
    const parts = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
    format = new Intl.DateTimeFormat("en-US", { ...parts, second: "numeric", hourCycle: "h23", timeZone });
    formats.set(timeZone, format);
  }
  const values: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of format.formatToParts(moment)) values[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = values;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1_000) * 1_000;
}
