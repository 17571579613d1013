import { createGunzip } from "node:zlib";
import { ProtocolError } from "../../errors/errors.js";

const chunkSize = 64 * 1024;
const freeBytes = 64 * 1024 * 1024;
const largestRatio = 250;

/**
 * Decompresses gzip as the bytes arrive. Chunks of 64 KiB halve the cost compared with zlib's default of 16 KiB. A body
 * that grows beyond 64 MiB and more than 250 times is treated as a zip bomb and throws a `ProtocolError`.
 */
export function gunzip(body: AsyncIterableIterator<Uint8Array>): AsyncIterableIterator<Uint8Array> {
  const stream = createGunzip({ chunkSize });
  const output = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let bytesIn = 0;
  let bytesOut = 0;
  let left = false;

  async function feed(): Promise<void> {
    try {
      for await (const chunk of body) {
        bytesIn += chunk.length;
        if (!stream.write(chunk)) await drained();
        if (left) return;
      }
      stream.end();
    } catch (error) {
      stream.destroy(error as Error);
    }
  }

  /** Resolves when more can be written, or when the stream is closed. */
  function drained(): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        stream.off("drain", settle);
        stream.off("close", settle);
        resolve();
      };
      stream.on("drain", settle);
      stream.on("close", settle);
      if (stream.destroyed) settle();
    });
  }

  let feeding: Promise<void> | undefined;
  const iterator: AsyncIterableIterator<Uint8Array> = {
    async next() {
      feeding ??= feed();
      try {
        const result = await output.next();
        if (result.done) return { done: true, value: undefined };
        bytesOut += result.value.length;
        if (bytesOut > freeBytes && bytesOut > bytesIn * largestRatio) {
          await leave();
          throw new ProtocolError(`response body: ${bytesIn} bytes of gzip expand to more than ${bytesOut} bytes`);
        }
        return result;
      } catch (error) {
        const code = (error as { code?: unknown }).code;
        if (typeof code !== "string" || !code.startsWith("Z_")) throw error;
        await leave();
        throw new ProtocolError("response body: broken gzip data", { cause: error });
      }
    },
    async return() {
      await leave();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return iterator;
    },
  };

  /** Ends both sides, including a pending read. */
  async function leave(): Promise<void> {
    left = true;
    await body.return?.();
    stream.destroy();
  }
  return iterator;
}
