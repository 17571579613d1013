import { createWaitList } from "../../internal/streams/wait-list.js";

/** Dependencies of `createOutbox`. */
export interface OutboxParts<E> {
  /** Sends an entry; never rejects. Resolves with true to keep the entry at the front and send it again. */
  readonly send: (entry: E) => Promise<boolean>;
  /**
   * Called when the queue is empty; `dropped` is the number of entries that were dropped because the signal aborted.
   */
  readonly onIdle: (dropped: number) => void;
  /** Drops the waiting entries. */
  readonly signal: AbortSignal;
}

/** A queue that sends one entry at a time and holds each entry once. */
export interface Outbox<E> {
  /** Number of waiting entries, including the one being sent. */
  readonly size: number;
  /** Returns true if an entry is waiting or being sent. */
  has(entry: E): boolean;
  /** Adds an entry unless it is already in the queue. */
  add(entry: E): void;
  /** Resolves when the queue is empty. If the signal aborts, it rejects with `signal.reason`. */
  flush(signal?: AbortSignal): Promise<void>;
}

/** Creates an empty outbox. */
export function createOutbox<E>({ send, onIdle, signal: dropAll }: OutboxParts<E>): Outbox<E> {
  const pending = new Set<E>();
  const flushes = createWaitList<undefined>();
  let sending = false;

  const sendAll = async (): Promise<void> => {
    if (sending) return;
    sending = true;
    for (let entry = first(pending); entry !== undefined && !dropAll.aborted; entry = first(pending))
      if (!(await send(entry))) pending.delete(entry);
    sending = false;
    const dropped = dropAll.aborted ? pending.size : 0;
    if (dropAll.aborted) pending.clear();
    flushes.resolveAll(undefined);
    onIdle(dropped);
  };

  return {
    get size() {
      return pending.size;
    },
    has: (entry) => pending.has(entry),
    add(entry) {
      pending.add(entry);
      void Promise.resolve().then(sendAll);
    },
    async flush(signal) {
      signal?.throwIfAborted();
      if (pending.size > 0) await flushes.wait(signal);
    },
  };
}

function first<V>(set: ReadonlySet<V>): V | undefined {
  for (const value of set) return value;
  return undefined;
}
