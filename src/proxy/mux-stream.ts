import { encodeFrame, encodeJsonFrame, frameTypes } from "../mux/frames.js";
import { forwardedHeaders } from "./messages.js";

/** Largest payload of a data frame, so that a large list doesn't hold other streams up. */
const maxDataBytes = 32 * 1024;

/** Output of the connection that a stream belongs to. */
export interface StreamOutput {
  /** Queues a frame in front of all data. */
  control(frame: Uint8Array): void;
  /** The stream has data that it may send. */
  ready(stream: ProxyStream): void;
  /** The stream is over. */
  over(stream: ProxyStream): void;
}

/** Proxy's side of a stream: a response that is sent as far as the page has granted it. */
export interface ProxyStream {
  /** Number of the stream. */
  readonly id: number;
  /** True if it has data that it may send. */
  readonly sendable: boolean;
  /** Grants bytes. Returns false if the sum is out of range. */
  credit(bytes: number): boolean;
  /** Takes the next data frame. Call it only while the stream is sendable. */
  take(): Uint8Array;
  /** Ends the stream without another frame. */
  cancel(): void;
}

const maxCredit = 2 ** 31;

/** Answers a request on a stream. `respond` gets the signal that ends it. */
export function createProxyStream(
  id: number,
  credit: number,
  respond: (signal: AbortSignal) => Promise<Response>,
  output: StreamOutput,
): ProxyStream {
  const controller = new AbortController();
  let allowed = credit;
  let chunk: Uint8Array | undefined;
  let offset = 0;
  let chunkTaken = (): void => undefined;

  const stream: ProxyStream = {
    id,
    get sendable() {
      return chunk !== undefined && allowed > 0;
    },
    credit(bytes) {
      const waited = !stream.sendable;
      allowed += bytes;
      if (waited && stream.sendable) output.ready(stream);
      return allowed <= maxCredit;
    },
    take() {
      const bytes = chunk!.subarray(offset, offset + Math.min(allowed, maxDataBytes));
      allowed -= bytes.length;
      offset += bytes.length;
      if (offset === chunk!.length) {
        chunk = undefined;
        chunkTaken();
      }
      return encodeFrame(frameTypes.data, id, bytes);
    },
    cancel() {
      chunk = undefined;
      chunkTaken();
      controller.abort(new DOMException("the page ended the stream", "AbortError"));
    },
  };

  const send = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      chunkTaken = resolve;
      chunk = bytes;
      offset = 0;
      if (stream.sendable) output.ready(stream);
    });

  async function run(): Promise<void> {
    const { signal } = controller;
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    try {
      const response = await respond(signal);
      reader = response.body?.getReader();
      if (signal.aborted) return;
      const headers = Object.fromEntries(response.headers);
      output.control(encodeJsonFrame(frameTypes.head, id, { status: response.status, headers }));
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        if (signal.aborted) return;
        if (done) break;
        if (value.length > 0) await send(value);
        if (signal.aborted) return;
      }
      output.control(encodeFrame(frameTypes.end, id));
    } catch {
      // The proxy has reported the error; its text isn't for the page.
      const message = "the response of the cluster broke off";
      if (!signal.aborted) output.control(encodeJsonFrame(frameTypes.fail, id, { message }));
    } finally {
      output.over(stream);
      reader?.cancel().catch(() => undefined);
    }
  }
  void run();
  return stream;
}

/** Headers of the WebSocket itself. */
const handshake = /^(?:connection|upgrade|sec-websocket-.*|content-length|transfer-encoding|keep-alive)$/;

/**
 * Returns the headers of a stream's request: those of the connection, which say who sends it, and of those that the page
 * has chosen the ones that reach a cluster. Throws a `TypeError` for a value that isn't one of a header.
 */
export function streamHeaders(connection: Request, chosen: Readonly<Record<string, unknown>>): Headers {
  const headers = new Headers(connection.headers);
  for (const name of [...headers.keys()]) if (handshake.test(name)) headers.delete(name);
  for (const name of forwardedHeaders) {
    const value = Object.hasOwn(chosen, name) ? chosen[name] : undefined;
    if (typeof value === "string") headers.set(name, value);
    else headers.delete(name);
  }
  return headers;
}
