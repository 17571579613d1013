import type { IncomingMessage, ServerResponse as NodeResponse } from "node:http";
import { pipeline } from "node:stream";
import { constants, createGzip, inflateRawSync } from "node:zlib";
import { type LinkedAbort, linkAbort } from "../../internal/abort.js";
import { concatBytes } from "../../internal/bytes.js";
import { headerText } from "../../internal/header-text.js";
import { whenClosed } from "../../internal/when-closed.js";
import type { BodyStream, Inflate, ServerRequest, ServerResponse } from "../http/http.js";
import { clientOf } from "./client-certificate.js";
import { pump } from "./pump.js";
import type { Upgrade } from "./upgrade.js";

function headerValues(request: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < request.rawHeaders.length; i += 2)
    if (request.rawHeaders[i]!.toLowerCase() === name) values.push(headerText(request.rawHeaders[i + 1]!));
  return values;
}

/**
 * Reads the body, or returns `undefined` if it exceeds `limit`. Uses events because a stream iterator costs more than
 * most bodies take.
 */
function readLimited(request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = [];
    let length = 0;
    const stop = (): void => {
      request.off("data", onData).off("end", onEnd).off("error", reject).off("close", onClose);
    };
    const onData = (piece: Uint8Array): void => {
      length += piece.length;
      if (length > limit) {
        stop();
        request.pause();
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
    request.on("data", onData).on("end", onEnd).on("error", reject).on("close", onClose);
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
function targetOf(url = "/"): string {
  const start = /^https?:\/\/[^/?#]*/i.exec(url)?.[0].length;
  return start === undefined ? url : url.slice(start);
}

/** State of a request's connection. */
interface Connection {
  /** Aborts when the client disconnects. */
  readonly gone: LinkedAbort;
  readonly upgradable: boolean;
  /** Registers a callback for the end of the response. */
  onWritten(this: void, callback: () => void): void;
}

function adapt(
  request: IncomingMessage,
  response: NodeResponse,
  { gone, upgradable, onWritten }: Connection,
): ServerRequest {
  const target = targetOf(request.url);
  const mark = target.indexOf("?");
  return {
    method: request.method ?? "GET",
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? "" : target.slice(mark + 1),
    header(name) {
      const value = request.headers[name];
      return value === undefined ? undefined : headerText(Array.isArray(value) ? value.join(", ") : value);
    },
    headerValues: (name) => headerValues(request, name),
    headerNames: () => Object.keys(request.headers).filter((name) => !name.startsWith(":")),
    readBody(limit) {
      if (request.headers.expect?.toLowerCase() === "100-continue" && request.httpVersionMinor > 0)
        response.writeContinue();
      return readLimited(request, limit);
    },
    gzip: compress,
    get signal() {
      return gone.signal;
    },
    // A connection that is taken over doesn't report its end.
    ...(upgradable ? { loadFrames: async () => (await import("./web-socket.js")).writeFrame, inflate } : { onWritten }),
    client: clientOf(request.socket),
    remoteAddress: request.socket.remoteAddress,
  };
}

/** Repeated header names become arrays. */
function headerObject(headers: readonly (readonly [string, string])[]): Record<string, string | string[]> {
  const object: Record<string, string | string[]> = {};
  for (const [name, value] of headers) {
    const before = object[name];
    object[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  }
  return object;
}

/** Function from a request to a response. */
export interface RequestServer {
  serve(request: ServerRequest): Promise<ServerResponse>;
}

/**
 * Lets the API server answer a request of Node's HTTP servers. `upgrade` is the connection of a request with an
 * Upgrade header.
 */
export async function answer(
  server: RequestServer,
  request: IncomingMessage,
  response: NodeResponse,
  upgrade?: Upgrade,
): Promise<void> {
  const gone = linkAbort();
  let streaming: BodyStream | undefined;
  let closed = false;
  const written: (() => void)[] = [];
  // In HTTP/2 only the stream reliably reports that the client left.
  const { stream } = request as IncomingMessage & { readonly stream?: NodeJS.EventEmitter };
  const onClose = (): void => {
    closed = true;
    // Wait for one turn of the event loop, so that requests that have arrived by then compete for what this one held.
    // Otherwise, a whole queue could be answered one by one, before its clients had a chance to send again.
    if (written.length > 0) setImmediate(() => written.forEach((callback) => callback()));
    // Most responses are complete by then, and nothing listens to the signal any more.
    if (response.writableFinished && streaming === undefined) return;
    gone.abort(new DOMException("the client is gone", "AbortError"));
    void streaming?.return();
  };
  if (stream !== undefined) stream.once("close", onClose);
  const forget = stream === undefined ? whenClosed(response, request.socket, onClose) : undefined;
  const { status, headers, body, dropped, takeover, socket } = await server.serve(
    adapt(request, response, {
      gone,
      upgradable: upgrade !== undefined,
      onWritten(callback) {
        if (closed) callback();
        else written.push(callback);
      },
    }),
  );
  if (closed) {
    if (body !== undefined && !(body instanceof Uint8Array)) await body.return();
    return;
  }
  if (dropped === true) {
    request.socket.destroy();
    return;
  }
  if (takeover !== undefined && upgrade !== undefined) {
    response.detachSocket(upgrade.socket as never);
    forget?.();
    // `ws` is loaded lazily, with the first WebSocket.
    const { serveConversation, serveUpgrade } = await import("./web-socket.js");
    if (socket !== undefined) serveConversation(upgrade, takeover, socket);
    else await serveUpgrade(upgrade, takeover, body instanceof Uint8Array ? undefined : body);
    return;
  }
  // HTTP/1.1 connections are persistent by default, so the header is redundant.
  if (request.httpVersion === "1.1" && response.shouldKeepAlive) response.removeHeader("connection");
  const empty = status === 304 || status === 204;
  const known = body === undefined || body instanceof Uint8Array;
  if (known && !empty && (body !== undefined || request.method !== "HEAD"))
    headers.push(["Content-Length", String(body?.length ?? 0)]);
  if (known || empty || request.method === "HEAD") {
    response.writeHead(status, headerObject(headers));
    response.end(body instanceof Uint8Array && !empty ? body : undefined);
    if (!known) await body.return();
  } else {
    streaming = body;
    response.writeHead(status, headerObject(headers));
    response.flushHeaders();
    await pump(response, body, gone.signal);
  }
  // Discard unread bytes so that the connection can be reused.
  if (!request.complete) request.resume();
}
