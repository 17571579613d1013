import type { RequestQueue } from "./request-queue.js";
import { estimatedServiceMs } from "./request-queue.js";
import type { SeatSeconds } from "./seat-seconds.js";
import { seatSeconds } from "./seat-seconds.js";

/** The queue whose oldest request is next, and the range of the queues' virtual times. */
interface Choice {
  /** Index of the queue; -1 if no request waits. */
  readonly at: number;
  /** Least and greatest virtual start of a queue's next request. */
  readonly starts: readonly [least: SeatSeconds, greatest: SeatSeconds];
  /** The same without the estimated work of executing requests. */
  readonly discounted: readonly [least: SeatSeconds, greatest: SeatSeconds];
}

/** Chooses the request that would virtually finish first; of equal ones, the first in the queues after `robin`. */
export function chooseQueue<Details>(queues: readonly RequestQueue<Details>[], robin: number): Choice {
  const count = queues.length;
  let least = Number.POSITIVE_INFINITY;
  let chosen = -1;
  const starts: [number, number] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const discounted: [number, number] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 1; i <= count; i += 1) {
    const at = (robin + i) % count;
    const queue = queues[at]!;
    const oldest = queue.waiting[0];
    if (oldest === undefined) continue;
    const inProgress = queue.nextDispatchR - seatSeconds(queue.seatsInUse, estimatedServiceMs);
    widen(starts, queue.nextDispatchR);
    widen(discounted, inProgress);
    const finish = queue.nextDispatchR + oldest.totalWork;
    if (finish < least) {
      least = finish;
      chosen = at;
    }
  }
  return { at: chosen, starts, discounted };
}

function widen(range: [number, number], value: number): void {
  range[0] = Math.min(range[0], value);
  range[1] = Math.max(range[1], value);
}
