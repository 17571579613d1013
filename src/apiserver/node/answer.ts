import { pipeline } from "node:stream";
import { constants, createGzip, inflateRawSync } from "node:zlib";
import { type LinkedAbort, linkAbort } from "../../internal/abort.js";
import { concatBytes } from "../../internal/bytes.js";
import { headerText } from "../../internal/header-text.js";
import type { BodyStream, Inflate, ServerRequest, ServerResponse } from "../http/http.js";
import type { Exchange } from "./exchange.js";
import { pump } from "./pump.js";

function headerValues({ rawHeaders }: Exchange, name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.toLowerCase() === name) values.push(headerText(rawHeaders[i + 1]!));
  return values;
}

/**
 * Reads the body, or returns `undefined` if it exceeds `limit`. Uses events because a stream iterator costs more than
 * most bodies take.
 */
function readLimited({ headers, body }: Exchange, limit: number): Promise<Uint8Array | undefined> {
  if (Number(headers["content-length"] ?? 0) > limit) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = [];
    let length = 0;
    const stop = (): void => {
      body.off("data", onData).off("end", onEnd).off("error", reject).off("close", onClose);
    };
    const onData = (piece: Uint8Array): void => {
      length += piece.length;
      if (length > limit) {
        stop();
        body.pause();
        resolve(undefined);
      } else pieces.push(piece);
    };
    const onEnd = (): void => {
      stop();
      resolve(concatBytes(pieces));
    };
    const onClose = (): void => {
      stop();
      reject(new DOMException("the client is gone", "AbortError"));
    };
    body.on("data", onData).on("end", onEnd).on("error", reject).on("close", onClose);
  });
}

/**
 * Same level as kube-apiserver: lists are repetitive, and higher levels cost several times as much CPU for little gain.
 */
const gzipOptions = { level: constants.Z_BEST_SPEED, chunkSize: 512 * 1024 };

function compress(body: BodyStream): BodyStream {
  const chunks = { [Symbol.asyncIterator]: () => body };
  const compressed = pipeline(chunks, createGzip(gzipOptions), () => undefined);
  const iterator = compressed[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  return {
    next: () => iterator.next(),
    return() {
      // Also stops the producer. Iterators that weren't started destroy nothing.
      compressed.destroy();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}

/** Inflates headers of SPDY streams, which end with a flush instead of a last block. */
export const inflate: Inflate = (blocks, dictionary, limit) =>
  inflateRawSync(blocks, {
    dictionary,
    maxOutputLength: limit,
    finishFlush: constants.Z_SYNC_FLUSH,
    // Headers are short, and a client may open many streams.
    chunkSize: 1_024,
  });

/** Returns path and query of a request target, which may be an absolute URL. */
function pathAndQuery(target: string): string {
  const start = /^https?:\/\/[^/?#]*/i.exec(target)?.[0].length;
  return start === undefined ? target : target.slice(start);
}

/** `gone` aborts when the client disconnects; `onWritten` registers a callback for the end of the response. */
function adapt(exchange: Exchange, gone: LinkedAbort, onWritten: (callback: () => void) => void): ServerRequest {
  const { headers } = exchange;
  const target = pathAndQuery(exchange.target);
  const mark = target.indexOf("?");
  return {
    method: exchange.method,
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? "" : target.slice(mark + 1),
    header(name) {
      const value = headers[name];
      return value === undefined ? undefined : headerText(Array.isArray(value) ? value.join(", ") : value);
    },
    headerValues: (name) => headerValues(exchange, name),
    headerNames: () => Object.keys(headers).filter((name) => !name.startsWith(":")),
    readBody(limit) {
      if (headers.expect?.toLowerCase() === "100-continue") exchange.continue();
      return readLimited(exchange, limit);
    },
    gzip: compress,
    get signal() {
      return gone.signal;
    },
    // A connection that is taken over doesn't report its end.
    ...(exchange.upgrade === undefined
      ? { onWritten }
      : { loadFrames: async () => (await import("./web-socket.js")).writeFrame, inflate }),
    ...exchange.peer,
  };
}

/** Function from a request to a response. */
export interface RequestServer {
  serve(request: ServerRequest): Promise<ServerResponse>;
}

/** Lets the API server answer a request. Rejects if the connection can't be used any more. */
export async function answer(server: RequestServer, exchange: Exchange): Promise<void> {
  const gone = linkAbort();
  let streaming: BodyStream | undefined;
  let closed = false;
  let sent = false;
  const written: (() => void)[] = [];
  const forget = exchange.onClose(() => {
    closed = true;
    // Wait for one turn of the event loop, so that requests that have arrived by then compete for what this one held.
    // Otherwise, a whole queue could be answered one by one, before its clients had a chance to send again.
    if (written.length > 0) setImmediate(() => written.forEach((callback) => callback()));
    // Nothing listens to the signal once a whole response is sent.
    if (sent) return;
    gone.abort(new DOMException("the client is gone", "AbortError"));
    void streaming?.return();
  });
  const onWritten = (callback: () => void): void => {
    if (closed) callback();
    else written.push(callback);
  };
  const { status, headers, body, dropped, takeover, socket } = await server.serve(adapt(exchange, gone, onWritten));
  if (closed) {
    if (body !== undefined && !(body instanceof Uint8Array)) await body.return();
    return;
  }
  if (dropped === true) {
    exchange.cut();
    return;
  }
  const { upgrade } = exchange;
  if (takeover !== undefined && upgrade !== undefined) {
    exchange.detach();
    forget();
    // `ws` is loaded lazily, with the first WebSocket.
    const { serveConversation, serveUpgrade } = await import("./web-socket.js");
    if (socket !== undefined) serveConversation(upgrade, takeover, socket);
    else await serveUpgrade(upgrade, takeover, body instanceof Uint8Array ? undefined : body);
    return;
  }
  const empty = status === 304 || status === 204;
  const known = body === undefined || body instanceof Uint8Array;
  if (known && !empty && (body !== undefined || exchange.method !== "HEAD"))
    headers.push(["Content-Length", String(body?.length ?? 0)]);
  if (known || empty || exchange.method === "HEAD") {
    sent = true;
    exchange.send(status, headers, known && !empty ? body : undefined);
    if (!known) await body.return();
  } else {
    streaming = body;
    exchange.sendHead(status, headers);
    await pump(exchange, body, gone.signal);
  }
  exchange.discard();
}
