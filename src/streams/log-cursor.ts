/** A line of a log and the time at which it was written. */
export interface TimedLine {
  /** Time in RFC 3339, with nanoseconds. */
  readonly time: string;
  readonly text: string;
}

/**
 * Position in the log of one container, from which a broken stream resumes without lost or repeated lines. A restarted
 * container goes on at the same position: its lines are newer.
 */
export interface LogCursor {
  /** Time of the newest line, for the next request; `undefined` before the first line. */
  readonly sinceTime: string | undefined;
  /** Starts reading another response of the same log. It repeats lines, because servers only compare whole seconds. */
  resume(): void;
  /** Takes a line that begins with its time. Returns `undefined` for a repeated line. */
  take(line: string): TimedLine | undefined;
}

/** Creates a cursor at the beginning of a log. */
export function createLogCursor(): LogCursor {
  let newest: Instant | undefined;
  /** Lines of the newest time so far, and those of them that the current response must repeat. */
  let count = 0;
  let repeats = 0;
  let replaying = false;
  let dropping = false;

  const isRepeated = (time: Instant): boolean => {
    if (!replaying || newest === undefined) return false;
    const order = compareInstants(time, newest);
    if (order < 0) return true;
    if (order === 0 && repeats > 0) {
      repeats--;
      return true;
    }
    if (order > 0) replaying = false;
    return false;
  };

  return {
    get sinceTime() {
      return newest?.text;
    },
    resume() {
      replaying = true;
      repeats = count;
      dropping = false;
    },
    take(line) {
      const end = line.indexOf(" ");
      const time = parseInstant(end < 0 ? line : line.slice(0, end));
      // The rest of a line that was too long has no time, and belongs to the line before.
      if (time === undefined) return dropping ? undefined : { time: newest?.text ?? "", text: line };
      dropping = isRepeated(time);
      if (dropping) return undefined;
      const order = newest === undefined ? 1 : compareInstants(time, newest);
      if (order > 0) {
        newest = time;
        count = 0;
      }
      if (order >= 0) count++;
      return { time: time.text, text: end < 0 ? "" : line.slice(end + 1) };
    },
  };
}

interface Instant {
  readonly text: string;
  /** Whole seconds since the epoch, in milliseconds. */
  readonly second: number;
  /** Digits of the fraction, without trailing zeros. */
  readonly fraction: string;
}

function parseInstant(text: string): Instant | undefined {
  const [, whole, fraction = "", zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const second = whole === undefined || zone === undefined ? Number.NaN : Date.parse(whole + zone);
  return Number.isNaN(second) ? undefined : { text, second, fraction: fraction.replace(/0{1,9}$/, "") };
}

function compareInstants(a: Instant, b: Instant): number {
  if (a.second !== b.second) return a.second - b.second;
  return a.fraction === b.fraction ? 0 : a.fraction < b.fraction ? -1 : 1;
}
