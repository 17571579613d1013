import type { Clock } from "../internal/clock.js";
import { createYielder } from "../internal/yielder.js";

/** Work on the rows of a large table, in slices that leave time for frames between them. */
export interface Ordering {
  /** Ends the work without a result. */
  cancel(): void;
  /** Resolves when the work is complete or canceled. */
  readonly done: Promise<void>;
}

/** Parts of the work. */
export interface OrderingParts {
  /** Keys of the rows. */
  readonly keys: readonly string[];
  /** Adds the row of a key. */
  readonly put: (key: string) => void;
  /** Sorts the rows that were added since the last call. */
  readonly flush: () => void;
  /** Called when all rows are in order. */
  readonly onDone: () => void;
  /** Receives an error that a filter throws. The work then ends without a result. */
  readonly onError: (error: unknown) => void;
  /** Source of time. */
  readonly clock: Clock;
}

/** Rows that are added and sorted between two checks of the clock. */
const rowsAtOnce = 2_048;
/** Time to work before yielding to the event loop (ms). */
const sliceMs = 8;

/** Starts to filter and sort rows: the first slice follows in the current task, after the caller has returned. */
export function startOrdering({ keys, put, flush, onDone, onError, clock }: OrderingParts): Ordering {
  const yielder = createYielder(clock, sliceMs);
  let canceled = false;
  const work = async (): Promise<void> => {
    await Promise.resolve();
    for (let at = 0; at < keys.length; at += rowsAtOnce) {
      for (const key of keys.slice(at, at + rowsAtOnce)) put(key);
      flush();
      const pause = yielder.pause();
      if (pause !== undefined) await pause;
      if (canceled) return;
    }
    onDone();
  };
  const done = work()
    .catch(onError)
    .finally(() => yielder.close());
  return {
    cancel() {
      canceled = true;
    },
    done,
  };
}
