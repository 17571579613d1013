import { Fifo } from "./fifo.js";

/** One direction of a multiplexed connection. Buffers received bytes until they're read. */
export interface ByteChannel {
  /** Received bytes for the reader; single-use. */
  readonly bytes: AsyncIterableIterator<Uint8Array>;
  /** Adds a chunk. */
  push(chunk: Uint8Array): void;
  /** Ends the channel after the buffered chunks, with an error if one is given. */
  end(error?: unknown): void;
  /** Resolves when there is room for more, or when the reader has left. */
  room(): Promise<void>;
}

/**
 * Creates a channel that has room while it buffers fewer than `limit` bytes. After `return()`, further chunks are
 * dropped.
 */
export function createByteChannel(limit: number): ByteChannel {
  const chunks = new Fifo<Uint8Array>();
  let waitingBytes = 0;
  let outcome: { error?: unknown } | undefined;
  let left = false;
  let reader: { resolve: (result: IteratorResult<Uint8Array>) => void; reject: (error: unknown) => void } | undefined;
  let roomWaiters: (() => void)[] = [];

  function releaseWaiters(): void {
    const waiters = roomWaiters;
    roomWaiters = [];
    for (const resolve of waiters) resolve();
  }

  function finish(resolve: (result: IteratorResult<Uint8Array>) => void, reject: (error: unknown) => void): void {
    const error = outcome?.error;
    if (error === undefined) resolve({ done: true, value: undefined });
    else {
      outcome = {};
      reject(error);
    }
  }

  const bytes: AsyncIterableIterator<Uint8Array> = {
    next() {
      const chunk = chunks.shift();
      if (chunk) {
        waitingBytes -= chunk.length;
        if (waitingBytes < limit) releaseWaiters();
        return Promise.resolve({ done: false, value: chunk });
      }
      return new Promise((resolve, reject) => {
        if (outcome) finish(resolve, reject);
        else reader = { resolve, reject };
      });
    },
    return() {
      left = true;
      chunks.clear();
      waitingBytes = 0;
      outcome = {};
      const pending = reader;
      reader = undefined;
      pending?.resolve({ done: true, value: undefined });
      releaseWaiters();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]() {
      return bytes;
    },
  };

  return {
    bytes,
    push(chunk) {
      if (left || outcome || chunk.length === 0) return;
      const pending = reader;
      reader = undefined;
      if (pending) {
        pending.resolve({ done: false, value: chunk });
        return;
      }
      chunks.push(chunk);
      waitingBytes += chunk.length;
    },
    end(error) {
      if (outcome) return;
      outcome = { error };
      const pending = reader;
      reader = undefined;
      if (pending) finish(pending.resolve, pending.reject);
      releaseWaiters();
    },
    room() {
      if (left || outcome || waitingBytes < limit) return Promise.resolve();
      return new Promise((resolve) => roomWaiters.push(resolve));
    },
  };
}
