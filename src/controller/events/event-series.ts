/** Counters of an event and its repetitions. Values are replaced, never modified. */
export interface EventSeries {
  /** Number of occurrences. */
  readonly count: number;
  /** Time of the last occurrence, in milliseconds since the epoch. */
  readonly lastAt: number;
  /** Time of the last occurrence by the monotonic clock. */
  readonly lastSeen: number;
  /** True if the server has the event. */
  readonly created: boolean;
  /** Count that the server has. */
  readonly sentCount: number;
  /** Monotonic time of the last successful request. */
  readonly sentAt: number;
  /** True to forget the series once everything is sent. */
  readonly over: boolean;
}

/** A point in time by both clocks. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Monotonic milliseconds. */
  readonly monotonic: number;
}

/** Time without an occurrence after which a series ends. */
export const finishMs = 360_000;
/** Interval at which the count of a running series is sent. */
const refreshMs = 1_800_000;

/** Returns the series for a first occurrence. */
export function beginSeries({ now, monotonic }: Moment): EventSeries {
  return { count: 1, lastAt: now, lastSeen: monotonic, created: false, sentCount: 0, sentAt: monotonic, over: false };
}

/** Counts another occurrence. A series that was over continues. */
export function repeatSeries(series: EventSeries, { now, monotonic }: Moment): EventSeries {
  return { ...series, count: series.count + 1, lastAt: now, lastSeen: monotonic, over: false };
}

/** Records a successful request. The first one creates the event without a count; later ones report `count`. */
export function markSent(series: EventSeries, count: number, monotonic: number): EventSeries {
  return series.created
    ? { ...series, sentCount: count, sentAt: monotonic }
    : { ...series, created: true, sentCount: 1, sentAt: monotonic };
}

/** Records that a request was given up. The next one waits for the count to change. */
export function markGivenUp(series: EventSeries): EventSeries {
  return { ...series, sentCount: series.count };
}

/** Returns true if a request is due now: for the first repetition and for the final count. */
export function isDue({ count, sentCount, over }: EventSeries): boolean {
  return (sentCount === 1 && count > 1) || (over && sentCount < count);
}

/** Decides about a series that isn't being sent: `send` its count, `forget` it, or `keep` it. */
export function reviewSeries(series: EventSeries, monotonic: number): "send" | "forget" | "keep" {
  const idle = isIdle(series, monotonic);
  if (series.count > series.sentCount && (idle || monotonic - series.sentAt >= refreshMs)) return "send";
  return idle ? "forget" : "keep";
}

/** Returns true if a series has had no occurrence for long enough to be over. */
export function isIdle(series: EventSeries, monotonic: number): boolean {
  return monotonic - series.lastSeen >= finishMs;
}
