import { onAbort } from "../../internal/abort.js";
import type { Clock, Timer } from "../../internal/clock.js";

/** Time to wait for calls after their signals have aborted. */
const lastWaitMs = 5_000;

/** Dependencies of `drainWorkers`. */
export interface DrainParts {
  readonly clock: Clock;
  /** Time that running calls may take to end before they are abandoned. */
  readonly drainTimeoutMs: number;
  /** Aborts the running calls; something else may abort them first. */
  readonly abandon: AbortController;
  /** Reason of that abort. */
  readonly reason: unknown;
}

/** Waits for the workers to end. Returns false if they don't, even though their calls were abandoned. */
export async function drainWorkers(workers: Promise<unknown>, parts: DrainParts): Promise<boolean> {
  const { clock, drainTimeoutMs, abandon, reason } = parts;
  let timer: Timer;
  let unfollow: (() => void) | undefined;
  const late = new Promise<"late">((resolve) => {
    const giveUp = (): void => abandon.abort(reason);
    timer = clock.setTimer(giveUp, drainTimeoutMs);
    const abandoned = (): void => {
      timer.cancel();
      timer = clock.setTimer(() => resolve("late"), lastWaitMs);
    };
    if (drainTimeoutMs <= 0) giveUp();
    if (abandon.signal.aborted) abandoned();
    else unfollow = onAbort(abandon.signal, abandoned);
  });
  const outcome = await Promise.race([workers, late]);
  timer!.cancel();
  unfollow?.();
  return outcome !== "late";
}
