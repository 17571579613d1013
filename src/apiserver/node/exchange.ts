import type { EventEmitter } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse as NodeResponse } from "node:http";
import type { Readable } from "node:stream";
import type { ClientIdentity } from "../http/client-identity.js";
import type { Upgrade } from "./upgrade.js";

/** The client's end of a connection. */
export interface Peer {
  readonly client: ClientIdentity | undefined;
  readonly remoteAddress: string | undefined;
}

/** A request of Node's HTTP servers and its response, the same for HTTP/1.1 and HTTP/2. */
export interface Exchange {
  readonly method: string;
  /** Request target: a path with its query, or an absolute URL. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values of the headers in turn, as sent. */
  readonly rawHeaders: readonly string[];
  /** Body of the request. */
  readonly body: Readable;
  readonly peer: Peer;
  /** Connection of a request with an Upgrade header. */
  readonly upgrade?: Upgrade | undefined;
  /** Sends 100 Continue to a client that waits for it before it sends the body. */
  continue(): void;
  /** Sends a whole response; `undefined` for one without a body. */
  send(status: number, headers: HeaderList, body: Uint8Array | undefined): void;
  /** Sends the head of a response whose body follows with `write` and `end`. */
  sendHead(status: number, headers: HeaderList): void;
  /** Writes a part of the body. Returns the emitter that must drain before the next one, if any. */
  write(piece: Uint8Array): EventEmitter | undefined;
  /** Ends the body. */
  end(): void;
  /** Drops what is left of the request's body, so that the connection can be reused. */
  discard(): void;
  /** Calls back once, when the response or its connection has closed. Returns a function that cancels the call. */
  onClose(callback: () => void): () => void;
  /** Closes the connection after the response, if it's one of HTTP/1.1. */
  closeAfter(): void;
  /** Takes the connection of an upgrade away from the HTTP server. */
  detach(): void;
  /** Cuts the response off. In HTTP/1.1 that ends the connection. */
  cut(): void;
  /** Returns Node's objects for the request and the response. */
  native(): [IncomingMessage, NodeResponse];
}

/** Headers in order; names may repeat. */
export type HeaderList = readonly (readonly [string, string])[];

/** Converts headers to an object, in which repeated names have arrays. */
export function headerObject(headers: HeaderList): Record<string, string | string[]> {
  const object: Record<string, string | string[]> = {};
  for (const [name, value] of headers) {
    const before = object[name];
    object[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  }
  return object;
}
