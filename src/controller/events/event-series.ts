/** An event and its repetitions, as counters. Values are replaced, never changed. */
export interface EventSeries {
  /** How often the event occurred. */
  readonly count: number;
  /** Time of the last occurrence, in milliseconds since the epoch. */
  readonly lastAt: number;
  /** The same by the monotonic clock. */
  readonly lastSeen: number;
  /** Whether the server has the event. */
  readonly created: boolean;
  /** The count that the server has. */
  readonly sentCount: number;
  /** Monotonic time of the last successful request. */
  readonly sentAt: number;
  /** Whether to forget the series once everything is sent. */
  readonly over: boolean;
}

/** A moment by both clocks. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Monotonic milliseconds. */
  readonly monotonic: number;
}

/** A series is over when it has had no occurrence for this time. */
export const finishMs = 360_000;
/** The count of a series that goes on is sent this often. */
const refreshMs = 1_800_000;

/** Returns the series of a first occurrence. */
export function beginSeries({ now, monotonic }: Moment): EventSeries {
  return { count: 1, lastAt: now, lastSeen: monotonic, created: false, sentCount: 0, sentAt: monotonic, over: false };
}

/** Counts one more occurrence; a series that was over goes on. */
export function repeatSeries(series: EventSeries, { now, monotonic }: Moment): EventSeries {
  return { ...series, count: series.count + 1, lastAt: now, lastSeen: monotonic, over: false };
}

/** Notes that a request succeeded. The first creates the event, without its count; later ones sent `count`. */
export function markSent(series: EventSeries, count: number, monotonic: number): EventSeries {
  return series.created
    ? { ...series, sentCount: count, sentAt: monotonic }
    : { ...series, created: true, sentCount: 1, sentAt: monotonic };
}

/** Notes that a request was given up: the next one waits for the count to change. */
export function markGivenUp(series: EventSeries): EventSeries {
  return { ...series, sentCount: series.count };
}

/** Returns whether a request is due now: for the first repetition, and for the final count. */
export function isDue({ count, sentCount, over }: EventSeries): boolean {
  return (sentCount === 1 && count > 1) || (over && sentCount < count);
}

/** Decides about a series that is not being sent: `send` its count, `forget` it, or `keep` it. */
export function reviewSeries(series: EventSeries, monotonic: number): "send" | "forget" | "keep" {
  const idle = isIdle(series, monotonic);
  if (series.count > series.sentCount && (idle || monotonic - series.sentAt >= refreshMs)) return "send";
  return idle ? "forget" : "keep";
}

/** Returns whether a series has had no occurrence for so long that it is over. */
export function isIdle(series: EventSeries, monotonic: number): boolean {
  return monotonic - series.lastSeen >= finishMs;
}
