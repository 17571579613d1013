import type { Clock } from "../../internal/clock.js";
import type { FlowControl } from "./flow-control.js";
import { tooManyRequests } from "./flow-control.js";
import { InFlight, kindOf } from "./in-flight.js";

/** Options for `createMaxInFlight`. */
export interface MaxInFlightOptions {
  readonly clock: Clock;
  /** Most reads at once; 0 for no limit. */
  readonly reads: number;
  /** Most writes at once; 0 for no limit. */
  readonly writes: number;
  /** Group whose members are never turned away. */
  readonly privilegedGroup: string;
}

/**
 * Creates the limits of a server without API Priority and Fairness: reads and writes are counted separately, and what
 * exceeds its limit is turned away at once. Watches count for neither.
 */
export function createMaxInFlight({ clock, reads, writes, privilegedGroup }: MaxInFlightOptions): FlowControl {
  const inFlight = new InFlight(clock);
  return {
    enter({ user, info }) {
      const kind = kindOf(info);
      const limit = kind === "readOnly" ? reads : writes;
      if (limit === 0 || info.verb === "watch") return Promise.resolve({ headers: [], release: () => undefined });
      if (inFlight.executing(kind) >= limit) {
        if (user.groups.includes(privilegedGroup)) return Promise.resolve({ headers: [], release: () => undefined });
        return Promise.reject(tooManyRequests(1));
      }
      inFlight.change(kind, "executing", 1);
      let held = true;
      const release = (): void => {
        if (held) inFlight.change(kind, "executing", -1);
        held = false;
      };
      return Promise.resolve({ headers: [], release });
    },
    dump: () => undefined,
    metrics: () => inFlight.lines(),
    close: () => undefined,
  };
}
