import type { Clock, Timer } from "../../internal/clock.js";
import type { Change } from "../store/change.js";
import type { StoreReader } from "../store/store.js";

/**
 * Calls `tick` every `resyncMs` until the signal aborts; never if `resyncMs` is 0. Returns a function that cancels the
 * timer.
 */
export function armResync(resyncMs: number, clock: Clock, signal: AbortSignal, tick: () => void): () => void {
  if (resyncMs === 0) return () => undefined;
  let timer: Timer;
  const onTimer = (): void => {
    if (signal.aborted) return;
    tick();
    timer = clock.setTimer(onTimer, resyncMs);
  };
  timer = clock.setTimer(onTimer, resyncMs);
  return () => timer.cancel();
}

/** Returns an `updated` change for each object of a store, with the object as its own previous state. */
export function resyncChanges<R>(store: StoreReader<R>): Change<R>[] {
  return Array.from(store.keys(), (key): Change<R> => {
    const object = store.get(key)!;
    return { type: "updated", key, object, old: object, cause: "resync", initial: false };
  });
}
