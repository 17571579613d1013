import type { Clock, Timer } from "../../internal/clock.js";
import { handleRejection } from "../../internal/handle-rejection.js";
import { Fifo } from "../../internal/streams/fifo.js";
import { sliceBudgetMs } from "../reflector/reflector.js";
import type { Change, ChangeHandler } from "../store/change.js";

/** One receiver of changes. Delivery is in order; long batches yield to the event loop. */
export interface Subscriber<T> {
  /** Queues changes that belong together and delivers as many as the time budget allows. */
  deliver(changes: readonly Change<T>[]): void;
  /** Number of changes that are queued. */
  readonly lag: number;
  /** Returns a promise for the end of the queue; `undefined` if it is empty. */
  drained(): Promise<void> | undefined;
  /** Removes the subscriber; queued changes are discarded. */
  remove(): void;
}

/** Creates a subscriber that calls a handler. */
export function createSubscriber<T>(
  handler: ChangeHandler<T>,
  clock: Clock,
  onError: (error: unknown) => void,
): Subscriber<T> {
  const backlog = new Fifo<readonly Change<T>[]>();
  let position = 0;
  let lag = 0;
  let delivering = false;
  let timer: Timer | undefined;
  let removed = false;
  let waiting: (() => void)[] = [];
  const isRemoved = (): boolean => removed;
  const isIdle = (): boolean => backlog.length === 0;

  const call = (change: Change<T>): void => {
    try {
      // An async handler violates the contract, but its rejection must not crash the process.
      handleRejection((handler as (change: Change<T>) => unknown)(change), onError);
    } catch (error) {
      onError(error);
    }
  };

  const finish = (): void => {
    const resolve = waiting;
    waiting = [];
    for (const done of resolve) done();
  };

  /**
   * Delivers until the queue is empty or the time budget is spent. The rest follows in a later turn of the event loop.
   */
  const drain = (): void => {
    if (delivering) return;
    delivering = true;
    timer = undefined;
    const until = clock.monotonic() + sliceBudgetMs;
    let count = 0;
    while (!isIdle() && !isRemoved()) {
      const batch = backlog.peek()!;
      while (position < batch.length) {
        lag--;
        call(batch[position++]!);
        if (isRemoved()) break;
        if (++count % 64 === 0 && clock.monotonic() > until) {
          timer = clock.setTimer(drain, 0);
          delivering = false;
          return;
        }
      }
      backlog.shift();
      position = 0;
    }
    delivering = false;
    finish();
  };

  return {
    get lag() {
      return lag;
    },
    deliver(changes) {
      if (removed || changes.length === 0) return;
      if (changes.length === 1 && backlog.length === 0 && !delivering) {
        delivering = true;
        call(changes[0]!);
        delivering = false;
        if (isIdle()) return;
      } else {
        backlog.push(changes);
        lag += changes.length;
      }
      if (timer === undefined) drain();
    },
    drained() {
      if (lag === 0 || removed) return undefined;
      return new Promise((resolve) => waiting.push(resolve));
    },
    remove() {
      removed = true;
      timer?.cancel();
      backlog.clear();
      lag = 0;
      finish();
    },
  };
}
