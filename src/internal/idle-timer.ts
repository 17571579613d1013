import type { Clock, Timer } from "./clock.js";

/** Detects that a read has waited too long. */
export interface IdleTimer {
  /** Call it when a read starts to wait. */
  begin(): void;
  /** Call it when data has arrived. */
  pause(): void;
  /** Call it when reading has ended. */
  end(): void;
}

/**
 * Calls `onIdle` when a single read has waited for `timeoutMs`. Time that a slow consumer takes doesn't count. The
 * timer is reset only when it fires, because chunks may arrive by the thousand.
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
    else timer = clock.setTimer(check, left, { upkeep: true });
  };
  return {
    begin() {
      since = clock.monotonic();
      timer ??= clock.setTimer(check, timeoutMs, { upkeep: true });
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
  // No timeout is set.
}
