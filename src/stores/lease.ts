import type { Clock, Timer } from "../internal/clock.js";

/** A resource with a reference count that stays open for a while after its last user has left. */
export interface Lease {
  /** True while the resource is open. */
  readonly isOpen: boolean;
  /** Adds a user; the first one opens the resource. The returned function removes the user. */
  acquire(): () => void;
  /** Closes the resource at once and refuses further users. */
  end(): void;
}

/** Creates a lease. `open` opens the resource and returns the function that closes it. */
export function createLease(open: () => () => void, lingerMs: number, clock: Clock): Lease {
  let users = 0;
  let close: (() => void) | undefined;
  let timer: Timer | undefined;
  let ended = false;
  const shut = (): void => {
    timer?.cancel();
    timer = undefined;
    close?.();
    close = undefined;
  };
  return {
    get isOpen() {
      return close !== undefined;
    },
    acquire() {
      users++;
      timer?.cancel();
      timer = undefined;
      if (!ended) close ??= open();
      let left = false;
      return () => {
        if (left) return;
        left = true;
        if (--users > 0 || close === undefined) return;
        timer = clock.setTimer(shut, lingerMs);
      };
    },
    end() {
      ended = true;
      shut();
    },
  };
}
