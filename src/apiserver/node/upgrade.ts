import type { IncomingMessage, ServerResponse as NodeResponse, Server } from "node:http";
import type { Duplex } from "node:stream";

/** What a client says beside its head: the connection, and what came on it already. */
export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Whether a request that asks for another protocol asks for one that there is. */
export function asksForWebSocket(request: IncomingMessage): boolean {
  return request.method === "GET" && request.headers.upgrade?.toLowerCase() === "websocket";
}

/** Whether a body comes with a request. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

/**
 * Hands a connection on whose request asks for a protocol that there is not: it is read again without the question, so that its body and what
 * comes after it are read as ever. Clients that would like to speak HTTP/2 ask in this way.
 */
export function readAgainWithoutUpgrade(http: Server, request: IncomingMessage, { socket, head }: Upgrade): void {
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
  goOn(http, { socket, head: Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]) });
}

/** Which connections still owe answers to requests that came before the last one. */
export interface Pipelines {
  /** An answer is under way. */
  begun(socket: Duplex, response: NodeResponse): void;
  /** Calls `go` when all answers that were begun are over. */
  whenFree(socket: Duplex, go: () => void): void;
}

/** Counts the answers under way on each connection. */
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

/** Reads requests from a connection that was taken from the server. */
export function goOn(http: Server, { socket, head }: Upgrade): void {
  if (head.length > 0) socket.unshift(head);
  http.emit("connection", socket);
}
