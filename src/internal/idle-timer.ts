import type { Clock, Timer } from "./clock.js";

/** Tells when a read has waited for too long. */
export interface IdleTimer {
  /** A read begins to wait. */
  begin(): void;
  /** Something came. */
  pause(): void;
  /** Nothing is read any more. */
  end(): void;
}

/**
 * Fires once a read has waited for so long; a consumer that takes its time is not idleness of the server. One timer
 * that is set anew only when it fires: chunks may come by the thousand.
 */
export function idleTimer(timeoutMs: number | undefined, clock: Clock, onIdle: (timeoutMs: number) => void): IdleTimer {
  if (timeoutMs === undefined) return { begin: nothing, pause: nothing, end: nothing };
  let timer: Timer | undefined;
  let since: number | undefined;
  const check = (): void => {
    timer = undefined;
    if (since === undefined) return;
    const left = since + timeoutMs - clock.monotonic();
    if (left <= 0) onIdle(timeoutMs);
    else timer = clock.setTimer(check, left);
  };
  return {
    begin() {
      since = clock.monotonic();
      timer ??= clock.setTimer(check, timeoutMs);
    },
    pause() {
      since = undefined;
    },
    end() {
      since = undefined;
      timer?.cancel();
    },
  };
}

function nothing(): void {
  // No time limit was asked for.
}
