import type { Dispatcher } from "undici";
import type { BodyIterator } from "../transport/transport.js";

const pauseAbove = 256 * 1024;

/** The receiving end of one response: undici pushes, the reader pulls, and a slow reader pauses the socket. */
export interface ResponseBody {
  /** What the reader gets; single-use. `return()` aborts the request. */
  readonly chunks: AsyncIterableIterator<Uint8Array> & BodyIterator;
  /** Hands on a chunk. */
  push(chunk: Uint8Array): void;
  /** Ends the body after what was pushed. */
  end(): void;
  /** Breaks the body: what was pushed is still read, then the error is thrown. */
  fail(error: Error): void;
  /** Breaks the body at once, as an abort does. */
  abort(error: unknown): void;
}

/** Makes the receiving end; `onLeave` runs when the reader leaves before the end. */
export function createResponseBody(controller: Dispatcher.DispatchController, onLeave: () => void): ResponseBody {
  let chunks: Uint8Array[] = [];
  let head = 0;
  let buffered = 0;
  let outcome: { error: unknown } | "end" | undefined;
  let waiting: { resolve: (result: IteratorResult<Uint8Array>) => void; reject: (error: unknown) => void } | undefined;

  function settle(next: { error: unknown } | "end"): void {
    if (outcome !== undefined) return;
    outcome = next;
    if (!waiting) return;
    const { resolve, reject } = waiting;
    waiting = undefined;
    finish(resolve, reject);
  }

  function finish(resolve: (result: IteratorResult<Uint8Array>) => void, reject: (error: unknown) => void): void {
    if (outcome === "end" || outcome === undefined) {
      resolve({ done: true, value: undefined });
      return;
    }
    const { error } = outcome;
    outcome = "end";
    reject(error);
  }

  function drop(): void {
    chunks = [];
    head = 0;
    buffered = 0;
  }

  function take(): Uint8Array | undefined {
    const chunk = chunks[head];
    if (chunk === undefined) return undefined;
    head++;
    buffered -= chunk.length;
    if (head === chunks.length) {
      chunks = [];
      head = 0;
      if (controller.paused) controller.resume();
    }
    return chunk;
  }

  const iterator: ResponseBody["chunks"] = {
    take,
    next() {
      const chunk = take();
      if (chunk !== undefined) return Promise.resolve({ done: false, value: chunk });
      return new Promise((resolve, reject) => {
        if (outcome !== undefined) finish(resolve, reject);
        else waiting = { resolve, reject };
      });
    },
    return() {
      drop();
      const early = outcome === undefined;
      settle("end");
      outcome = "end";
      if (early) onLeave();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]() {
      return iterator;
    },
  };

  return {
    chunks: iterator,
    push(chunk) {
      if (outcome !== undefined) return;
      if (waiting) {
        const { resolve } = waiting;
        waiting = undefined;
        resolve({ done: false, value: chunk });
        return;
      }
      chunks.push(chunk);
      buffered += chunk.length;
      if (buffered > pauseAbove && !controller.paused) controller.pause();
    },
    end: () => settle("end"),
    fail: (error) => settle({ error }),
    abort(error) {
      drop();
      settle({ error });
    },
  };
}
