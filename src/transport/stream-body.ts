import { TransportError } from "../errors/errors.js";

/**
 * Reads a platform stream chunk by chunk. Not its own async iterator: that one's `return()` waits for a read that is
 * pending, and browsers have come to it late. Calls `onEnd` when the body is over, whatever the reason.
 */
export function streamBody(stream: ReadableStream<Uint8Array> | null, signal: AbortSignal, onEnd: () => void): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const reader = stream?.getReader();
      let onAbort: (() => void) | undefined;
      const aborted = new Promise<never>((_, reject) => {
        onAbort = () => {
          reject(signal.reason as Error);
          reader?.cancel(signal.reason).catch(() => undefined); // The abort is told by the rejection above.
        };
        if (signal.aborted) onAbort();
        else signal.addEventListener("abort", onAbort, { once: true });
      });
      aborted.catch(() => undefined); // Heard by whoever waits in `next`.
      const done = (): void => {
        if (onAbort) signal.removeEventListener("abort", onAbort);
        onAbort = undefined;
        onEnd();
      };
      return {
        async next(): Promise<IteratorResult<Uint8Array>> {
          if (!reader) {
            done();
            return { done: true, value: undefined };
          }
          try {
            const result = await Promise.race([reader.read(), aborted]);
            if (result.done) done();
            return result as IteratorResult<Uint8Array>;
          } catch (error) {
            done();
            if (signal.aborted) throw signal.reason;
            throw new TransportError(`the connection broke in the middle of the body${error instanceof Error && error.message !== "" ? `: ${error.message}` : ""}`, { cause: error });
          }
        },
        async return(): Promise<IteratorResult<Uint8Array>> {
          done();
          reader?.cancel().catch(() => undefined); // What breaks after it was left is nobody's.
          return { done: true, value: undefined };
        },
      };
    },
  };
}
