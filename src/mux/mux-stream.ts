import { TransportError } from "../errors/errors.js";
import { onAbort } from "../internal/abort.js";
import { createByteChannel } from "../internal/streams/byte-channel.js";
import { singleHeaders } from "../transport/single-headers.js";
import type { TransportRequest, TransportResponse } from "../transport/transport.js";
import type { OpenHead } from "./frames.js";

/** Bytes of a response that may be on their way or wait for the reader. */
export const windowBytes: number = 512 * 1024;

/** Connection of a stream. */
export interface StreamLink {
  /** Grants more bytes of the response. */
  credit(bytes: number): void;
  /** Ends the stream early. */
  cancel(): void;
}

/** One request in the page, and its response. */
export interface MuxStream {
  /** Resolves when the response begins. Rejects with a `TransportError` or the signal's reason. */
  readonly response: Promise<TransportResponse>;
  /** The response begins. */
  head(status: number, headers: Headers): void;
  /** Bytes of the body arrive. Returns false if the proxy sends more than it may. */
  data(bytes: Uint8Array): boolean;
  /** The body is complete, or broke off with an error. */
  end(error?: Error): void;
}

/** Returns the head of a request. Throws a `ConfigError` for a header with several lines. */
export function openHead(cluster: string, request: TransportRequest): OpenHead {
  const { method, path } = request;
  return { cluster, method, path, headers: singleHeaders(request), credit: windowBytes };
}

/** Creates the page's side of a stream. The request's signal must not have aborted yet. */
export function createMuxStream({ signal }: TransportRequest, link: StreamLink): MuxStream {
  const channel = createByteChannel(windowBytes);
  let allowed = windowBytes;
  let taken = 0;
  let over = false;
  let settle: { resolve(response: TransportResponse): void; reject(error: unknown): void };
  const response = new Promise<TransportResponse>((resolve, reject) => {
    settle = { resolve, reject };
  });

  const finish = (error?: unknown): void => {
    if (over) return;
    over = true;
    stop();
    // Changes nothing once the response has begun.
    settle.reject(error ?? brokenError("the proxy ended a response that it had not begun"));
    channel.end(error);
  };
  const stop = onAbort(signal, () => {
    if (over) return;
    link.cancel();
    finish(signal.reason);
  });

  const body: AsyncIterableIterator<Uint8Array> = {
    async next() {
      // Bytes that wait for a reader who has aborted are dropped.
      if (signal.aborted) await channel.bytes.return!();
      if (signal.aborted) throw signal.reason;
      const result = await channel.bytes.next();
      if (result.done === true || over) return result;
      taken += result.value.length;
      if (taken >= windowBytes / 2) {
        allowed += taken;
        link.credit(taken);
        taken = 0;
      }
      return result;
    },
    return() {
      if (!over) link.cancel();
      finish();
      return channel.bytes.return!();
    },
    [Symbol.asyncIterator]: () => body,
  };

  return {
    response,
    head: (status, headers) => settle.resolve({ status, headers, body }),
    data(bytes) {
      allowed -= bytes.length;
      channel.push(bytes);
      return allowed >= 0;
    },
    end: finish,
  };
}

/** Creates the error of a stream whose connection is gone. */
export function brokenError(message: string, cause?: unknown): TransportError {
  return new TransportError(message, { code: "ECONNRESET", ...(cause !== undefined && { cause }) });
}
