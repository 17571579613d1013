import { connect } from "node:net";
import { connect as connectTls } from "node:tls";

/** Frame that a server sent. */
export interface SentFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** Data received on a connection that requested a WebSocket. */
export interface WebSocketAnswer {
  /** Status line and headers; the complete text if it isn't a handshake. */
  readonly head: string;
  readonly frames: readonly SentFrame[];
  /** True if the server closed the connection. */
  readonly ended: boolean;
}

/** Encodes a masked client frame. */
export function clientFrame(opcode: number, payload: string | Uint8Array, masked = true): Buffer {
  const bytes = Buffer.from(payload as Uint8Array);
  if (!masked) return Buffer.concat([Buffer.from([0x80 | opcode, bytes.length]), bytes]);
  const mask = Buffer.from([1, 2, 3, 4]);
  const head =
    bytes.length < 126
      ? Buffer.from([0x80 | opcode, 0x80 | bytes.length])
      : Buffer.from([0x80 | opcode, 0x80 | 126, bytes.length >> 8, bytes.length & 255]);
  return Buffer.concat([head, mask, bytes.map((byte, at) => byte ^ mask[at & 3]!)]);
}

function takeFrames(bytes: Buffer): SentFrame[] {
  const frames: SentFrame[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const short = bytes[at + 1]! & 127;
    const start = at + (short < 126 ? 2 : short === 126 ? 4 : 10);
    if (start > bytes.length) break;
    const length =
      short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
    if (start + length > bytes.length) break;
    frames.push({ opcode: bytes[at]!, payload: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return frames;
}

/** Script for a client's WebSocket connection. */
export interface WebSocketVisit {
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes to send immediately after the request. */
  readonly more?: string;
  /** Called when more was received; sends its return value. */
  readonly onFrames?: (frames: readonly SentFrame[], sent: number) => Uint8Array | undefined;
}

/** Headers of a valid handshake. */
export const handshake: Readonly<Record<string, string>> = {
  Host: "server",
  Upgrade: "websocket",
  Connection: "Upgrade",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Version": "13",
  Origin: "http://page.test",
};

/**
 * Requests a WebSocket and reads until the server closes the connection or has answered without an upgrade. Leaves out
 * headers with the value `(none)`. Rejects after 15 s.
 */
export function visit(
  url: string,
  path: string,
  { headers = {}, more = "", onFrames }: WebSocketVisit = {},
): Promise<WebSocketAnswer> {
  const { protocol, hostname, port } = new URL(url);
  const lines = Object.entries({ ...handshake, Authorization: "Bearer admin-token", ...headers })
    .filter(([, value]) => value !== "(none)")
    .map(([name, value]) => `${name}: ${value}\r\n`);
  return new Promise((resolve, reject) => {
    const socket =
      protocol === "https:"
        ? connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] })
        : connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    let sent = 0;
    const limit = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection did not end within 15 s: ${received.toString("latin1").slice(0, 600)}`));
    }, 15_000);
    const answerOf = (ended: boolean): WebSocketAnswer => {
      const end = received.indexOf("\r\n\r\n");
      const head = received.subarray(0, end < 0 ? received.length : end).toString("latin1");
      if (!head.startsWith("HTTP/1.1 101 ")) return { head: received.toString("utf8"), frames: [], ended };
      return { head, frames: takeFrames(received.subarray(end + 4)), ended };
    };
    const finish = (ended: boolean): void => {
      clearTimeout(limit);
      resolve(answerOf(ended));
      socket.destroy();
    };
    socket.once(protocol === "https:" ? "secureConnect" : "connect", () =>
      socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n${more}`),
    );
    socket.on("data", (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      const answer = answerOf(false);
      for (let next = onFrames?.(answer.frames, sent); next !== undefined; next = onFrames?.(answer.frames, sent)) {
        sent += 1;
        socket.write(next);
      }
      const length = /\r\ncontent-length: (\d+)\r\n/i.exec(answer.head)?.[1];
      const complete = length !== undefined && received.length >= received.indexOf("\r\n\r\n") + 4 + Number(length);
      if (more === "" && complete && !/\r\nconnection: close\r\n/i.test(answer.head)) finish(false);
    });
    socket.on("end", () => finish(true));
    socket.on("close", () => finish(true));
    socket.on("error", () => finish(true));
  });
}
