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
 * While many chunks wait, those below this size are copied next to each other, because each takes more memory than its
 * bytes.
 */
const smallBytes = 512;
const manyChunks = 64;
const blockBytes = 4 * 1024;

/**
 * Creates a channel that has room while it buffers fewer than `limit` bytes. After `return()`, further chunks are
 * dropped.
 */
export function createByteChannel(limit: number): ByteChannel {
  const chunks = new Fifo<Uint8Array>();
  /** Last waiting chunk while there is room for more in it. */
  let block: { readonly bytes: Uint8Array; used: number } | undefined;
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

  function closeBlock(): Uint8Array | undefined {
    const closed = block?.bytes.subarray(0, block.used);
    block = undefined;
    return closed;
  }

  function keep(chunk: Uint8Array): void {
    waitingBytes += chunk.length;
    if (block === undefined || block.used + chunk.length > blockBytes) {
      const before = closeBlock();
      if (before !== undefined) chunks.push(before);
      if (chunk.length >= smallBytes || chunks.length < manyChunks) {
        // A view would keep the whole message in memory, which isn't counted.
        chunks.push(chunk.length < chunk.buffer.byteLength / 2 ? new Uint8Array(chunk) : chunk);
        return;
      }
      block = { bytes: new Uint8Array(blockBytes), used: 0 };
    }
    block.bytes.set(chunk, block.used);
    block.used += chunk.length;
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
      const chunk = chunks.shift() ?? closeBlock();
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
      block = undefined;
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
      if (pending) pending.resolve({ done: false, value: chunk });
      else keep(chunk);
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
