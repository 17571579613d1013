/** How waits grow from one failure to the next. */
export interface BackoffOptions {
  /** First wait in milliseconds. */
  readonly initialMs: number;
  /** Factor from one wait to the next. */
  readonly factor: number;
  /** Longest wait in milliseconds, before jitter. */
  readonly capMs: number;
  /** Share of the wait that is added at random: 1 spreads each wait over [d, 2d). */
  readonly jitter: number;
}

/** Milliseconds to wait after `failures` failures in a row (from 1), given a random number in [0, 1). */
export function backoffDelayMs(options: BackoffOptions, failures: number, random: number): number {
  const base = Math.min(options.capMs, options.initialMs * options.factor ** Math.max(0, failures - 1));
  return base * (1 + options.jitter * random);
}
