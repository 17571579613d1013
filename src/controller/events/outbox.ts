import { Fifo } from "../../internal/streams/fifo.js";
import { createWaitList } from "../../internal/streams/wait-list.js";

/** Dependencies of `createOutbox`. */
export interface OutboxParts<E> {
  /** Sends an entry; never rejects. Resolves with true to send it again before others. */
  readonly send: (entry: E) => Promise<boolean>;
  /** Number of entries that are sent at once. Default 1. */
  readonly lanes?: number;
  /**
   * Called when the queue is empty; `dropped` is the number of entries that were dropped because the signal aborted.
   */
  readonly onIdle?: (dropped: number) => void;
  /** Drops the waiting entries. */
  readonly signal?: AbortSignal;
}

/** A queue that sends its entries in order and holds each entry once. */
export interface Outbox<E> {
  /** Number of waiting entries, including those being sent. */
  readonly size: number;
  /** Returns true if an entry is waiting or being sent. */
  has(entry: E): boolean;
  /** Adds an entry unless it is already in the queue. */
  add(entry: E): void;
  /** Resolves when the queue is empty. If the signal aborts, it rejects with `signal.reason`. */
  flush(signal?: AbortSignal): Promise<void>;
}

/** Creates an empty outbox. */
export function createOutbox<E>({ send, lanes = 1, onIdle, signal: dropAll }: OutboxParts<E>): Outbox<E> {
  const held = new Set<E>();
  const waiting = new Fifo<E>();
  const flushes = createWaitList<undefined>();
  let running = 0;

  /** Sends one entry after the other. */
  const runLane = async (): Promise<void> => {
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
      let again = true;
      while (again && dropAll?.aborted !== true) again = await send(entry);
      if (!again) held.delete(entry);
    }
    running--;
    if (running > 0) return;
    const dropped = held.size;
    held.clear();
    flushes.resolveAll(undefined);
    onIdle?.(dropped);
  };

  return {
    get size() {
      return held.size;
    },
    has: (entry) => held.has(entry),
    add(entry) {
      if (held.has(entry)) return;
      held.add(entry);
      waiting.push(entry);
      if (running === lanes) return;
      running++;
      void Promise.resolve().then(runLane);
    },
    async flush(signal) {
      signal?.throwIfAborted();
      if (held.size > 0) await flushes.wait(signal);
    },
  };
}
