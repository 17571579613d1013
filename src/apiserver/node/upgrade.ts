import type { IncomingMessage, ServerResponse as NodeResponse, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { BodyStream } from "../http/http.js";
import { closeFrame, webSocketFrame } from "../wire/websocket.js";

/** What a client says beside its head: the connection, and what came on it already. */
export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

const opcodes = { close: 8, ping: 9, pong: 10 };
const longestControl = 125;

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

/** Reads what the client of a WebSocket sends: pings are answered, `ended` is called for its end or a breach, and all else is dropped. */
export function createFrameSink(write: (frame: Uint8Array) => void, ended: () => void): (chunk: Buffer) => void {
  let held: Buffer = Buffer.alloc(0);
  let skip = 0;
  let over = false;
  const end = (): void => {
    over = true;
    ended();
  };
  /** Whether there may be another frame in what is held. */
  const step = (): boolean => {
    const dropped = Math.min(skip, held.length);
    skip -= dropped;
    held = held.subarray(dropped);
    if (held.length < 2) return false;
    const opcode = held[0]! & 15;
    const short = held[1]! & 127;
    const start = (short < 126 ? 2 : short === 126 ? 4 : 10) + 4;
    if ((held[1]! & 128) === 0) {
      write(closeFrame(1002));
      end();
      return false;
    }
    if (held.length < start) return false;
    const length =
      short < 126
        ? short
        : short === 126
          ? held.readUInt16BE(2)
          : Number(held.readBigUInt64BE(2) & 0x7fffffffffffffffn);
    if (opcode === opcodes.close) {
      end();
      return false;
    }
    if (opcode === opcodes.ping) {
      const announced = Math.min(length, longestControl);
      if (held.length < start + announced) return false;
      const mask = held.subarray(start - 4, start);
      write(
        webSocketFrame(
          opcodes.pong,
          held.subarray(start, start + announced).map((byte, at) => byte ^ mask[at & 3]!),
        ),
      );
    }
    held = held.subarray(start);
    skip = length;
    return true;
  };
  return (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (!over && step());
  };
}

/** Sends an answer that takes the connection over, and ends the connection with it. */
export async function serveUpgrade(
  { socket, head }: Upgrade,
  start: Uint8Array,
  body: BodyStream | undefined,
): Promise<void> {
  socket.on("error", () => socket.destroy());
  socket.write(start);
  if (body === undefined) {
    socket.end();
    return;
  }
  let ended = false;
  let wake: (() => void) | undefined;
  const stop = (): void => {
    ended = true;
    void body.return();
    wake?.();
  };
  const sink = createFrameSink(
    (frame) => socket.write(frame),
    () => {
      if (!ended) socket.write(closeFrame(1000));
      stop();
    },
  );
  socket
    .on("data", sink)
    .on("close", stop)
    .on("end", stop)
    .on("drain", () => wake?.());
  if (head.length > 0) sink(head);
  socket.resume();
  try {
    while (!ended) {
      const { done, value } = await body.next();
      if (done === true || ended) break;
      if (!socket.write(value)) await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    socket.end();
  }
}
