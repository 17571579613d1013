import type { Readable } from "node:stream";
import { TransportError } from "../../errors/errors.js";

/**
 * Reads exactly `length` bytes and leaves the rest in the stream. Rejects with a `TransportError` if the stream ends or
 * fails first.
 */
export function readExactly(stream: Readable, length: number): Promise<Uint8Array> {
  return readWith(stream, () => stream.read(length) as Uint8Array | null);
}

/**
 * Reads the head of an HTTP response up to the empty line and leaves the rest in the stream. Rejects with a
 * `TransportError` beyond 16 KiB.
 */
export async function readHead(stream: Readable): Promise<string> {
  let head = Buffer.alloc(0);
  for (;;) {
    const chunk = await readWith(stream, () => stream.read() as Buffer | null);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end >= 0) {
      const rest = head.subarray(end + 4);
      if (rest.length > 0) stream.unshift(rest);
      return head.subarray(0, end).toString("latin1");
    }
    if (head.length > 16_384) throw new TransportError("the proxy's answer is too long", { code: "ERR_PROXY" });
  }
}

function readWith(stream: Readable, read: () => Uint8Array | null): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      stream.off("readable", attempt).off("end", onEnd).off("close", onEnd).off("error", onError);
    };
    const onEnd = (): void => {
      leave();
      reject(new TransportError("the proxy closed the connection", { code: "ECONNRESET" }));
    };
    const onError = (error: Error): void => {
      leave();
      reject(error);
    };
    const attempt = (): void => {
      const bytes = read();
      if (bytes === null) return;
      leave();
      resolve(bytes);
    };
    stream.on("readable", attempt).on("end", onEnd).on("close", onEnd).on("error", onError);
    attempt();
  });
}
