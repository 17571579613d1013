/** Summary of durations. The difference between two readings gives rates and averages. */
export interface DurationStats {
  /** Number of durations. */
  readonly count: number;
  /** Sum in milliseconds. */
  readonly totalMs: number;
  /** Maximum in milliseconds. */
  readonly maxMs: number;
}

/** Accumulates durations. */
export interface DurationCounter {
  /** Adds a duration. */
  add(ms: number): void;
  /** Returns the summary so far. */
  read(): DurationStats;
}

/** Creates an empty counter. */
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
