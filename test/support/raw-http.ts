import type { Socket } from "node:net";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";

/** Answer as received on the connection. */
export interface RawAnswer {
  /** Status codes of interim answers, such as 100. */
  readonly interim: readonly number[];
  /** Status code; 0 if the connection ended without an answer. */
  readonly status: number;
  /** Headers by lower-case name, with repeated values in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Uint8Array;
  /** True if the server closed the connection after the answer. */
  readonly closed: boolean;
}

const crlf = Buffer.from("\r\n");

interface Head {
  readonly status: number;
  readonly headers: Map<string, string[]>;
  readonly end: number;
}

function parseHead(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return { status: Number(first.split(" ")[1]), headers, end: end + 4 };
}

/** Returns the body of a chunked answer, or `undefined` if it's incomplete. */
function parseChunks(bytes: Buffer): Buffer | undefined {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf(crlf, at);
    if (end < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, end).toString("latin1"), 16);
    if (size === 0) return Buffer.concat(pieces);
    if (bytes.length < end + 2 + size + 2) return undefined;
    pieces.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

/** Parses an answer as far as it has arrived. `over` is true if no more will follow. */
function parseAnswer(received: Buffer, method: string, over: boolean): RawAnswer | undefined {
  const interim: number[] = [];
  let bytes = received;
  for (;;) {
    const head = parseHead(bytes);
    if (head === undefined)
      return over ? { interim, status: 0, headers: new Map(), body: bytes, closed: true } : undefined;
    const { status, headers, end } = head;
    const rest = bytes.subarray(end);
    if (status >= 100 && status < 200 && status !== 101) {
      interim.push(status);
      bytes = rest;
      continue;
    }
    const closed = (headers.get("connection") ?? []).includes("close");
    const answer = (body: Buffer): RawAnswer => ({ interim, status, headers, body, closed });
    if (method === "HEAD" || status === 204 || status === 304) return answer(Buffer.alloc(0));
    if (headers.get("transfer-encoding")?.includes("chunked") === true) {
      const body = parseChunks(rest);
      return body !== undefined ? answer(body) : over ? answer(rest) : undefined;
    }
    const length = headers.get("content-length")?.[0];
    if (length !== undefined && rest.length >= Number(length)) return answer(rest.subarray(0, Number(length)));
    return over ? answer(rest) : undefined;
  }
}

/**
 * Sends bytes on a new connection and reads one answer, whatever the bytes are. Parts after the first are sent once
 * something was received, or `pauseMs` after the previous part. Rejects after `limitMs` without a complete answer.
 */
export function exchange(
  url: string,
  parts: readonly (string | Uint8Array)[],
  { limitMs = 15_000, pauseMs = 300 } = {},
): Promise<RawAnswer> {
  const { protocol, hostname, port } = new URL(url);
  const first = Buffer.from(parts[0] as Uint8Array).toString("latin1");
  const method = first.slice(0, first.indexOf(" "));
  return new Promise((resolve, reject) => {
    const socket: Socket =
      protocol === "https:"
        ? connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] })
        : connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    let sent = 0;
    let pause: NodeJS.Timeout | undefined;
    const limit = setTimeout(
      () => finish(new Error(`no complete answer after ${limitMs} ms: ${received.toString("latin1").slice(0, 500)}`)),
      limitMs,
    );
    const finish = (result: RawAnswer | Error): void => {
      clearTimeout(limit);
      clearTimeout(pause);
      socket.destroy();
      if (result instanceof Error) reject(result);
      else resolve(result);
    };
    const sendNext = (): void => {
      clearTimeout(pause);
      const part = parts[sent];
      if (part === undefined) return;
      sent += 1;
      socket.write(part as Uint8Array);
      if (sent < parts.length) pause = setTimeout(sendNext, pauseMs);
    };
    const look = (over: boolean): void => {
      const answer = parseAnswer(received, method, over);
      if (answer !== undefined) finish(answer);
      else if (received.length > 0) sendNext();
    };
    socket.once(protocol === "https:" ? "secureConnect" : "connect", sendNext);
    socket.on("data", (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      look(false);
    });
    socket.on("end", () => look(true));
    socket.on("close", () => look(true));
    // A server that has answered may close the connection while the rest of a request is still being sent.
    socket.on("error", () => look(true));
  });
}
