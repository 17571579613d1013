/** A bucket of a histogram of durations. */
export interface DurationBucket {
  /** Inclusive upper bound in seconds, like the label `le` of a Prometheus histogram. */
  readonly le: number;
  /** Number of durations up to the bound, including those of smaller buckets. */
  readonly count: number;
}

/** Summary of durations. The difference between two readings gives rates, averages and quantiles. */
export interface DurationStats {
  /** Number of durations. */
  readonly count: number;
  /** Sum in milliseconds. */
  readonly totalMs: number;
  /** Maximum in milliseconds. */
  readonly maxMs: number;
  /** Cumulative buckets in ascending order. The last one, which has no bound, is `count`. */
  readonly buckets: readonly DurationBucket[];
}

/** Accumulates durations. */
export interface DurationCounter {
  /** Adds a duration. */
  add(ms: number): void;
  /** Returns the summary so far. */
  read(): DurationStats;
}

/**
 * Bounds of client-go's work queue histograms: from 10 ns to 1,000 s. They are multiplied step by step, because existing
 * queries know the rounding errors of some of them, such as 9.999999999999999e-06.
 */
export const queueBuckets: readonly number[] = exponentialBuckets(10e-9, 10, 12);

/** Bounds of controller-runtime's reconcile histogram in seconds. */
export const reconcileBuckets: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** Creates an empty counter with buckets up to the given bounds in seconds. */
export function createDurationCounter(bounds: readonly number[]): DurationCounter {
  const counts = bounds.map(() => 0);
  let count = 0;
  let totalMs = 0;
  let maxMs = 0;
  return {
    add(ms) {
      count++;
      totalMs += ms;
      maxMs = Math.max(maxMs, ms);
      const bucket = bounds.findIndex((le) => ms / 1_000 <= le);
      if (bucket >= 0) counts[bucket]!++;
    },
    read() {
      let below = 0;
      const buckets = bounds.map((le, at) => ({ le, count: (below += counts[at]!) }));
      return { count, totalMs, maxMs, buckets };
    },
  };
}

function exponentialBuckets(start: number, factor: number, count: number): number[] {
  const bounds = [start];
  while (bounds.length < count) bounds.push(bounds.at(-1)! * factor);
  return bounds;
}
