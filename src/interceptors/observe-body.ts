import type { BodyIterator } from "../transport/transport.js";

/** Wraps a body and reports its length when it ends: normally, by an error, or because the reader stopped. */
export function observeBody(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  onEnd: (bytes: number, error?: unknown) => void,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator](): BodyIterator {
      const inner: BodyIterator = body[Symbol.asyncIterator]();
      let bytes = 0;
      let over = false;
      const end = (error?: unknown): void => {
        if (over) return;
        over = true;
        signal.removeEventListener("abort", onAbort);
        onEnd(bytes, error);
      };
      const onAbort = (): void => end();
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
      return {
        take() {
          const chunk = inner.take?.();
          bytes += chunk?.length ?? 0;
          return chunk;
        },
        async next() {
          try {
            const result = await inner.next();
            if (result.done === true) end();
            else bytes += result.value.length;
            return result;
          } catch (error) {
            end(signal.aborted ? undefined : error);
            throw error;
          }
        },
        async return() {
          end();
          await inner.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
