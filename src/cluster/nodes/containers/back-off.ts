import type { Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

const initialMs = 10_000;
const longestMs = 300_000;

/** State of a back-off. */
export interface BackOffState {
  readonly delayMs: number;
  readonly updatedMs: number;
}

/**
 * Delay between attempts that doubles from 10 seconds to 5 minutes, and starts again after 10 minutes of success. Lets
 * the first attempt pass without delay. Each container has one, so it's a class, which needs less memory than closures.
 */
export class BackOff {
  #delayMs: number;
  #updatedMs: number;

  /** Creates a back-off, or one that resumes from a state. */
  constructor({ delayMs, updatedMs }: BackOffState = { delayMs: 0, updatedMs: 0 }) {
    this.#delayMs = delayMs;
    this.#updatedMs = updatedMs;
  }

  /** Current delay in milliseconds. */
  get delayMs(): number {
    return this.#delayMs;
  }

  /** Milliseconds to wait at `nowMs` until the next attempt, after one that failed at `failedMs`. */
  remaining(failedMs: number, nowMs: number): number {
    return this.#isExpired(failedMs) ? 0 : Math.max(0, failedMs + this.#delayMs - nowMs);
  }

  /** Records an attempt at `nowMs` that follows a failure at `failedMs`. */
  attempt(failedMs: number, nowMs: number): void {
    this.#delayMs = this.#isExpired(failedMs) ? initialMs : Math.min(2 * this.#delayMs, longestMs);
    this.#updatedMs = nowMs;
  }

  /** Returns the state, from which another back-off resumes. */
  save(): BackOffState {
    return { delayMs: this.#delayMs, updatedMs: this.#updatedMs };
  }

  #isExpired(atMs: number): boolean {
    return this.#delayMs === 0 || atMs - this.#updatedMs > 2 * longestMs;
  }
}

/** Returns the message and the note of an event for a container that waits for its back-off. */
export function backOffTexts(
  { metadata }: DeepReadonly<Pod>,
  container: string,
  delayMs: number,
): { message: string; note: string } {
  const { name, uid, namespace } = metadata!;
  const pod = `${name}_${namespace}(${uid})`;
  return {
    message: `back-off ${goDuration(delayMs)} restarting failed container=${container} pod=${pod}`,
    note: `Back-off restarting failed container ${container} in pod ${pod}`,
  };
}

/** Formats milliseconds like Go's `time.Duration`, such as `2s`, `1m20s` or `250ms`. */
export function goDuration(ms: number): string {
  if (ms < 1_000) return ms === 0 ? "0s" : `${ms}ms`;
  const [hours, minutes, seconds] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, (ms % 60_000) / 1_000];
  return `${hours > 0 ? `${hours}h` : ""}${hours > 0 || minutes > 0 ? `${minutes}m` : ""}${seconds}s`;
}
