import type { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse as NodeResponse } from "node:http";
import type {
  Http2Server,
  Http2Session,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
} from "node:http2";
import { createServer, Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { clientOf } from "./client-certificate.js";
import type { Exchange, HeaderList, Peer } from "./exchange.js";
import { headerObject } from "./exchange.js";
import { maxHeadBytes } from "./framing.js";
import type { TimeLimits } from "./time-limits.js";
import { limitHttp2 } from "./time-limits.js";

/** Clients by session, whose socket is slow to read. */
const peers = new WeakMap<Http2Session, Peer>();

function peerOf(session: Http2Session | undefined): Peer {
  if (session === undefined) return { client: undefined, remoteAddress: undefined };
  let peer = peers.get(session);
  if (peer === undefined) {
    const { socket } = session;
    peer = { client: clientOf(socket), remoteAddress: socket.remoteAddress };
    peers.set(session, peer);
  }
  return peer;
}

/** Headers of a connection, which HTTP/2 forbids. */
const connectionHeader = /^(?:connection|keep-alive|proxy-connection|transfer-encoding|upgrade)$/i;

function responseHead(status: number, headers: HeaderList): OutgoingHttpHeaders {
  const allowed = headers.filter(([name]) => !connectionHeader.test(name));
  return { ":status": status, ...headerObject(allowed) };
}

/**
 * An exchange over HTTP/2. It uses Node's stream itself: the request and response on top of it cost more, and send an empty
 * frame after each body.
 */
class Http2Exchange implements Exchange {
  readonly body: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[]) {
    this.body = stream;
    this.headers = headers;
    this.rawHeaders = rawHeaders;
  }

  get method(): string {
    return this.headers[":method"] ?? "GET";
  }

  get target(): string {
    return this.headers[":path"] ?? "/";
  }

  get peer(): Peer {
    return peerOf(this.body.session);
  }

  continue(): void {
    if (!this.#isOver) this.body.additionalHeaders({ ":status": 100 });
  }

  send(status: number, headers: HeaderList, body: Uint8Array | undefined): void {
    if (this.#isOver) return;
    const endStream = body === undefined || this.method === "HEAD";
    this.body.respond(responseHead(status, headers), { endStream });
    if (!endStream) this.body.end(body);
  }

  sendHead(status: number, headers: HeaderList): void {
    if (!this.#isOver) this.body.respond(responseHead(status, headers));
  }

  /** True if the client reset the stream, which is reported only later. */
  get #isOver(): boolean {
    return this.body.destroyed || this.body.closed;
  }

  write(piece: Uint8Array): EventEmitter | undefined {
    return this.body.write(piece) ? undefined : this.body;
  }

  end(): void {
    this.body.end();
  }

  discard(): void {
    if (!this.body.readableEnded) this.body.resume();
  }

  onClose(callback: () => void): () => void {
    // The session doesn't reliably report that the client left.
    this.body.once("close", callback);
    return () => void this.body.off("close", callback);
  }

  closeAfter(): void {
    // Other requests share the connection.
  }

  detach(): void {
    throw new TypeError("HTTP/2 has no upgrades");
  }

  cut(): void {
    this.body.destroy();
  }

  native(): [IncomingMessage, NodeResponse] {
    const request = new Http2ServerRequest(this.body, this.headers, {}, this.rawHeaders);
    return [request as never, new Http2ServerResponse(this.body) as never];
  }
}

/** HTTP/2 on connections that the server receives as events, because it doesn't listen itself. */
export function createHttp2(onExchange: (exchange: Exchange) => void, limits: TimeLimits): Http2Server {
  const http2 = createServer({ settings: { maxHeaderListSize: maxHeadBytes } });
  limitHttp2(http2, limits);
  http2.on("session", (session: ServerHttp2Session) => session.on("error", () => session.destroy()));
  http2.on("sessionError", () => undefined);
  (http2 as EventEmitter).on(
    "stream",
    (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, rawHeaders: string[]) => {
      stream.on("error", () => undefined);
      const exchange = new Http2Exchange(stream, headers, rawHeaders);
      const refused = refusalOf(headers);
      if (refused === undefined) onExchange(exchange);
      else exchange.send(refused, [], undefined);
    },
  );
  return http2;
}

/** Returns the status for requests that Node itself refuses over HTTP/1.1. */
function refusalOf({ ":method": method, expect }: IncomingHttpHeaders): number | undefined {
  if (method === "CONNECT") return 405;
  return expect === undefined || expect === "100-continue" ? undefined : 417;
}
