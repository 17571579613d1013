import type { Clock } from "../../internal/clock.js";
import type { Change, ChangeHandler } from "../store/change.js";
import type { Subscriber } from "./subscriber.js";
import { createSubscriber } from "./subscriber.js";

/** The handlers of an informer. */
export interface Subscribers<T> {
  /** Current subscribers. Adding or removing one replaces the array. */
  readonly current: readonly Subscriber<T>[];
  /** Queue length of the slowest subscriber. */
  readonly lag: number;
  /** Adds a handler; it receives what is dispatched from now on. */
  add(handler: ChangeHandler<T>): Subscriber<T>;
  /** Removes a subscriber. Returns false if it wasn't registered. */
  remove(subscriber: Subscriber<T>): boolean;
  /** Removes all subscribers. */
  clear(): void;
  /** Delivers changes that belong together, to all subscribers by default. */
  dispatch(changes: readonly Change<T>[], to?: readonly Subscriber<T>[]): void;
  /**
   * Returns a promise for the end of all queues; `undefined` if they are empty. The reflector waits for it:
   * back-pressure.
   */
  drained(): Promise<void> | undefined;
}

/** Creates an empty set of subscribers. Errors thrown by handlers go to `onError`. */
export function createSubscribers<T>(clock: Clock, onError: (error: unknown) => void): Subscribers<T> {
  let current: readonly Subscriber<T>[] = [];
  return {
    get current() {
      return current;
    },
    get lag() {
      return current.reduce((most, subscriber) => Math.max(most, subscriber.lag), 0);
    },
    add(handler) {
      const subscriber = createSubscriber(handler, clock, onError);
      current = [...current, subscriber];
      return subscriber;
    },
    remove(subscriber) {
      if (!current.includes(subscriber)) return false;
      current = current.filter((other) => other !== subscriber);
      subscriber.remove();
      return true;
    },
    clear() {
      for (const subscriber of current) subscriber.remove();
      current = [];
    },
    dispatch(changes, to = current) {
      if (changes.length > 0) for (const subscriber of to) subscriber.deliver(changes);
    },
    drained() {
      let pending: Promise<void>[] | undefined;
      for (const subscriber of current) {
        const rest = subscriber.drained();
        if (rest !== undefined) (pending ??= []).push(rest);
      }
      return pending === undefined ? undefined : Promise.all(pending).then(() => undefined);
    },
  };
}
