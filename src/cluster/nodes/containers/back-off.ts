const initialMs = 10_000;
const longestMs = 300_000;

/** Delay between attempts that doubles from 10 seconds to 5 minutes, and starts again after 10 minutes of success. */
export interface BackOff {
  /** Milliseconds to wait at `nowMs` until the next attempt, after one that failed at `failedMs`. */
  remaining(failedMs: number, nowMs: number): number;
  /** Current delay in milliseconds. */
  readonly delayMs: number;
  /** Records an attempt at `nowMs` that follows a failure at `failedMs`. */
  attempt(failedMs: number, nowMs: number): void;
  /** Returns the state, from which another back-off resumes. */
  save(): BackOffState;
}

/** State of a back-off. */
export interface BackOffState {
  readonly delayMs: number;
  readonly updatedMs: number;
}

/** Creates a back-off that lets the first attempt pass without delay, or one that resumes from a state. */
export function createBackOff(state: BackOffState = { delayMs: 0, updatedMs: 0 }): BackOff {
  let { delayMs, updatedMs } = state;
  const isExpired = (atMs: number): boolean => delayMs === 0 || atMs - updatedMs > 2 * longestMs;
  return {
    get delayMs() {
      return delayMs;
    },
    remaining: (failedMs, nowMs) => (isExpired(failedMs) ? 0 : Math.max(0, failedMs + delayMs - nowMs)),
    attempt(failedMs, nowMs) {
      delayMs = isExpired(failedMs) ? initialMs : Math.min(2 * delayMs, longestMs);
      updatedMs = nowMs;
    },
    save: () => ({ delayMs, updatedMs }),
  };
}

/** Formats milliseconds like Go's `time.Duration`, such as `2s`, `1m20s` or `250ms`. */
export function goDuration(ms: number): string {
  if (ms < 1_000) return ms === 0 ? "0s" : `${ms}ms`;
  const [hours, minutes, seconds] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, (ms % 60_000) / 1_000];
  return `${hours > 0 ? `${hours}h` : ""}${hours > 0 || minutes > 0 ? `${minutes}m` : ""}${seconds}s`;
}
