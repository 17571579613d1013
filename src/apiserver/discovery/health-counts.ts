/** Counts the checks of the server's health. */
export interface HealthCounts {
  /** When the server started, in milliseconds since the epoch. */
  readonly startedMs: number;
  /** Counts a check that succeeded. `type` is the end point that asked for it. */
  count(name: string, type: string): void;
  /** What was counted, in the order of names and types. */
  all(): readonly HealthCount[];
}

/** How often one check was made for one end point. */
export interface HealthCount {
  readonly name: string;
  readonly type: string;
  readonly successes: number;
}

/** Makes counts that start at zero. */
export function createHealthCounts(startedMs: number): HealthCounts {
  const counts = new Map<string, HealthCount>();
  return {
    startedMs,
    count(name, type) {
      const key = `${name} ${type}`;
      counts.set(key, { name, type, successes: (counts.get(key)?.successes ?? 0) + 1 });
    },
    all: () => [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count),
  };
}
