import { TransportError } from "../errors/errors.js";

/**
 * Reads a platform stream chunk by chunk. Not its own async iterator: that one's `return()` waits for a read that is
 * pending, and browsers have come to it late. Calls `onEnd` when the body is over, whatever the reason.
 */
export function streamBody(
  stream: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
  onEnd: () => void,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const reader = stream?.getReader();
      // Of one read alone: a promise for all of them would hold every chunk until it settles.
      let endRead: ((reason: unknown) => void) | undefined;
      const onAbort = (): void => {
        endRead?.(signal.reason);
        reader?.cancel(signal.reason).catch(() => undefined); // The abort is told to whoever waits in `next`.
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
      const done = (): void => {
        signal.removeEventListener("abort", onAbort);
        onEnd();
      };
      return {
        async next(): Promise<IteratorResult<Uint8Array>> {
          if (!reader) {
            done();
            return { done: true, value: undefined };
          }
          try {
            const result = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
              endRead = reject;
              if (signal.aborted) reject(signal.reason as Error);
              reader.read().then((read) => resolve(read as IteratorResult<Uint8Array>), reject);
            });
            if (result.done === true) done();
            return result;
          } catch (error) {
            done();
            if (signal.aborted) throw signal.reason;
            throw new TransportError(
              `the connection broke in the middle of the body${error instanceof Error && error.message !== "" ? `: ${error.message}` : ""}`,
              { cause: error },
            );
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
