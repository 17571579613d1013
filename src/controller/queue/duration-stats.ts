/** Durations in short: enough for averages, and for rates between two looks at it. */
export interface DurationStats {
  /** How many there were. */
  readonly count: number;
  /** All together in milliseconds. */
  readonly totalMs: number;
  /** The longest in milliseconds. */
  readonly maxMs: number;
}

/** Durations that are still being counted. */
export interface DurationCounter {
  /** Notes one more. */
  add(ms: number): void;
  /** What there was so far. */
  read(): DurationStats;
}

/** Makes a counter of durations. */
export function createDurationCounter(): DurationCounter {
  let count = 0;
  let totalMs = 0;
  let maxMs = 0;
  return {
    add(ms) {
      count++;
      totalMs += ms;
      maxMs = Math.max(maxMs, ms);
    },
    read: () => ({ count, totalMs, maxMs }),
  };
}
