/** Range of minute, hour, day of the month, month and day of the week. */
const FIELDS: readonly (readonly [least: number, most: number])[] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
];
const NAMES = /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)$/i;
const DESCRIPTOR = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every .+)$/;

/** True for a schedule: five fields, or a descriptor such as `@daily`. */
export function isSchedule(schedule: string): boolean {
  if (schedule.startsWith("@")) return DESCRIPTOR.test(schedule);
  const fields = schedule
    .replace(/^(CRON_)?TZ=\S+\s+/, "")
    .trim()
    .split(/\s+/);
  return fields.length === FIELDS.length && fields.every((field, index) => field.split(",").every(isPart(index)));
}

/** Returns the check for one part of the field at `index`, such as `1-5/2`. */
function isPart(index: number): (part: string) => boolean {
  const [least = 0, most = 0] = FIELDS[index] ?? [];
  const isEnd = (end: string): boolean =>
    end === "*" || end === "?" || NAMES.test(end) || (/^\d+$/.test(end) && Number(end) >= least && Number(end) <= most);
  return (part) => {
    const [range = "", step] = part.split("/");
    return range.split("-").every(isEnd) && (step === undefined || /^[1-9]\d*$/.test(step));
  };
}

/** True for the name of a time zone. */
export function isTimeZone(name: string): boolean {
  // The platform also accepts offsets and any case; kube-apiserver looks for a file of that name.
  if (!name.split("/").every((part) => /^[A-Z]/.test(part))) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
