import type { EventEmitter } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse as NodeResponse } from "node:http";
import { whenClosed } from "../../internal/when-closed.js";
import { clientOf } from "./client-certificate.js";
import type { Exchange, HeaderList, Peer } from "./exchange.js";
import { headerObject } from "./exchange.js";
import type { Upgrade } from "./upgrade.js";

/** Chunks in HTTP/1.1 chunked encoding, cached because many watches send the very same chunk. */
const chunks = new WeakMap<Uint8Array, Uint8Array>();

function chunkOf(piece: Uint8Array): Uint8Array {
  let chunk = chunks.get(piece);
  if (chunk === undefined) {
    chunk = Buffer.concat([
      Buffer.from(`${piece.length.toString(16)}\r\n`, "latin1"),
      piece,
      Buffer.from("\r\n", "latin1"),
    ]);
    chunks.set(piece, chunk);
  }
  return chunk;
}

/** Size in bytes up to which copying a chunk is cheaper than writing its frame separately. */
export const smallBytes: number = 16 * 1024;

/** An exchange over HTTP/1.1. */
export class Http1Exchange implements Exchange {
  readonly body: IncomingMessage;
  readonly upgrade: Upgrade | undefined;
  readonly #response: NodeResponse;

  constructor(request: IncomingMessage, response: NodeResponse, upgrade?: Upgrade) {
    this.body = request;
    this.#response = response;
    this.upgrade = upgrade;
  }

  get method(): string {
    return this.body.method ?? "GET";
  }

  get target(): string {
    return this.body.url ?? "/";
  }

  get headers(): IncomingHttpHeaders {
    return this.body.headers;
  }

  get rawHeaders(): readonly string[] {
    return this.body.rawHeaders;
  }

  get peer(): Peer {
    const { socket } = this.body;
    return { client: clientOf(socket), remoteAddress: socket.remoteAddress };
  }

  continue(): void {
    if (this.body.httpVersionMinor > 0) this.#response.writeContinue();
  }

  send(status: number, headers: HeaderList, body: Uint8Array | undefined): void {
    this.#writeHead(status, headers);
    this.#response.end(body);
  }

  sendHead(status: number, headers: HeaderList): void {
    this.#writeHead(status, headers);
    this.#response.flushHeaders();
  }

  #writeHead(status: number, headers: HeaderList): void {
    const response = this.#response;
    // HTTP/1.1 connections are persistent by default, so the header is redundant.
    if (this.body.httpVersion === "1.1" && response.shouldKeepAlive) response.removeHeader("connection");
    response.writeHead(status, headerObject(headers));
  }

  /** When the response owns the connection, frames a small chunk once for all watches, at a fraction of four writes each. */
  write(piece: Uint8Array): EventEmitter | undefined {
    const { chunkedEncoding, socket } = this.#response;
    if (chunkedEncoding && piece.length <= smallBytes && piece.length > 0 && socket !== null)
      return socket.write(chunkOf(piece)) ? undefined : socket;
    return this.#response.write(piece) ? undefined : this.#response;
  }

  end(): void {
    this.#response.end();
  }

  discard(): void {
    if (!this.body.complete) this.body.resume();
  }

  onClose(callback: () => void): () => void {
    return whenClosed(this.#response, this.body.socket, callback);
  }

  closeAfter(): void {
    this.#response.shouldKeepAlive = false;
  }

  detach(): void {
    this.#response.detachSocket(this.body.socket);
  }

  cut(): void {
    this.body.socket.destroy();
  }

  native(): [IncomingMessage, NodeResponse] {
    return [this.body, this.#response];
  }
}
