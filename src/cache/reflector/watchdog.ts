import type { Clock, Timer } from "../../internal/clock.js";

/** A timer that follows a moving deadline. */
export interface Watchdog {
  /** True if the deadline has passed. */
  readonly fired: boolean;
  /** Rearms the timer if the deadline moved closer. A deadline that moved away needs no call. */
  follow(): void;
  /** Stops the timer. */
  cancel(): void;
}

/**
 * Starts a watchdog that needs one timer for any number of events: when the timer fires, it reads the deadline again
 * and waits for the rest.
 */
export function startWatchdog(clock: Clock, deadlineAt: () => number, onSilence: () => void): Watchdog {
  let fired = false;
  let timer: Timer | undefined;
  let armedFor = Infinity;
  const arm = (): void => {
    armedFor = deadlineAt();
    const left = armedFor - clock.monotonic();
    if (left === Infinity) return;
    timer = clock.setTimer(check, Math.max(1, Math.ceil(left)), { upkeep: true });
  };
  const check = (): void => {
    if (deadlineAt() > clock.monotonic()) {
      arm();
      return;
    }
    fired = true;
    onSilence();
  };
  arm();
  return {
    get fired() {
      return fired;
    },
    follow() {
      if (deadlineAt() >= armedFor) return;
      timer?.cancel();
      arm();
    },
    cancel: () => timer?.cancel(),
  };
}
