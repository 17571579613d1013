import { TransportError } from "../errors/errors.js";
import type { ByteReader } from "../internal/plain-handler.js";

/**
 * Reads a platform stream chunk by chunk and calls `onEnd` when the body ends for any reason. It doesn't use the
 * stream's own async iterator, whose `return()` waits for a pending read and which older browsers lack.
 */
export function streamBody(
  stream: { getReader(): ByteReader } | null,
  signal: AbortSignal,
  onEnd: () => void,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const reader = stream?.getReader();
      // Rejects only the pending read. One promise for all reads would retain every chunk until it settles.
      let endRead: ((reason: unknown) => void) | undefined;
      const onAbort = (): void => {
        endRead?.(signal.reason);
        reader?.cancel(signal.reason).catch(() => undefined); // The pending next() rejects with the reason.
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
          reader?.cancel().catch(() => undefined); // Errors after return() are irrelevant.
          return { done: true, value: undefined };
        },
      };
    },
  };
}
