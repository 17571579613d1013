import type { IncomingMessage, ServerResponse as NodeResponse, Server } from "node:http";
import type { Duplex } from "node:stream";

/** The connection of an upgrade request and the bytes that already arrived after its head. */
export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** The part of a request that decides about upgrades. */
export type RequestHead = Pick<IncomingMessage, "method" | "headers">;

/** True if the request asks to upgrade to WebSocket or, without a body, to SPDY. Other protocols aren't supported. */
export function requestsUpgrade(request: RequestHead): boolean {
  const protocol = request.headers.upgrade?.toLowerCase();
  return protocol === "websocket" ? request.method === "GET" : protocol === "spdy/3.1" && !hasBody(request);
}

/** True if a body follows the head of an HTTP/1.1 request. */
export function hasBody({ headers }: RequestHead): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

/**
 * Hands a connection back to the HTTP server if the requested protocol isn't supported. The Upgrade header is removed,
 * so that the body and later requests are parsed normally. Clients that offer `h2c` send such requests.
 */
export function reparseWithoutUpgrade(http: Server, request: IncomingMessage, { socket, head }: Upgrade): void {
  const lines = [`${request.method ?? "GET"} ${request.url ?? "/"} HTTP/${request.httpVersion}`];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at]!;
    const value = request.rawHeaders[at + 1]!;
    if (name.toLowerCase() === "upgrade") continue;
    if (name.toLowerCase() !== "connection") lines.push(`${name}: ${value}`);
    else {
      const kept = value
        .split(",")
        .map((word) => word.trim())
        .filter((word) => !/^(upgrade|http2-settings)$/i.test(word));
      if (kept.length > 0) lines.push(`${name}: ${kept.join(", ")}`);
    }
  }
  resumeParsing(http, { socket, head: Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]) });
}

/** Tracks the connections that still owe responses to earlier pipelined requests. */
export interface Pipelines {
  /** Records a response in progress. */
  begun(socket: Duplex, response: NodeResponse): void;
  /** Calls `go` when all recorded responses of the connection have finished. */
  whenFree(socket: Duplex, go: () => void): void;
}

/** Creates a `Pipelines` that counts the responses in progress per connection. */
export function createPipelines(): Pipelines {
  const owing = new WeakMap<Duplex, number>();
  const waiting = new WeakMap<Duplex, () => void>();
  return {
    begun(socket, response) {
      owing.set(socket, (owing.get(socket) ?? 0) + 1);
      response.once("close", () => {
        const left = owing.get(socket)! - 1;
        owing.set(socket, left);
        if (left > 0) return;
        waiting.get(socket)?.();
        waiting.delete(socket);
      });
    },
    whenFree(socket, go) {
      if ((owing.get(socket) ?? 0) === 0) go();
      else waiting.set(socket, go);
    },
  };
}

/** Lets the HTTP server parse requests again from a connection that was detached from it. */
export function resumeParsing(http: Server, { socket, head }: Upgrade): void {
  if (head.length > 0) socket.unshift(head);
  http.emit("connection", socket);
}
