import type { Clock, Timer } from "../../internal/clock.js";
import { sliceBudgetMs } from "../reflector/reflector.js";
import type { Change, ChangeHandler } from "../store/change.js";

/** One receiver of changes: strictly in order, long batches in slices. */
export interface Subscriber<T> {
  /** Hands over changes that belong together. */
  deliver(changes: readonly Change<T>[]): void;
  /** Number of changes handed over and not yet delivered. */
  readonly lag: number;
  /** Nothing when all is delivered; else a promise for it. */
  drained(): Promise<void> | undefined;
  /** Delivers nothing more. */
  remove(): void;
}

/** Makes a subscriber of a handler. */
export function createSubscriber<T>(
  handler: ChangeHandler<T>,
  clock: Clock,
  onError: (error: unknown) => void,
): Subscriber<T> {
  let backlog: (readonly Change<T>[])[] = [];
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
      // A handler that is async all the same must not end the process with a rejection nobody sees.
      const result: unknown = (handler as (change: Change<T>) => unknown)(change);
      if (result instanceof Promise) result.catch(onError);
    } catch (error) {
      onError(error);
    }
  };

  const finish = (): void => {
    const resolve = waiting;
    waiting = [];
    for (const done of resolve) done();
  };

  /** Delivers until all is done or the budget is spent; the rest comes with a later turn of the event loop. */
  const drain = (): void => {
    if (delivering) return;
    delivering = true;
    timer = undefined;
    const until = clock.monotonic() + sliceBudgetMs;
    let count = 0;
    while (!isIdle() && !isRemoved()) {
      const batch = backlog[0]!;
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
      backlog = [];
      lag = 0;
      finish();
    },
  };
}
