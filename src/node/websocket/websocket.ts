import type { Duplex } from "node:stream";
import { ClosedError, ProtocolError, TransportError } from "../../errors/errors.js";
import type { Clock, Timer } from "../../internal/clock.js";
import type { TransportSocket } from "../../transport/transport.js";
import { transportFailure } from "./transport-failure.js";
import { createFrameReader, encodeFrame, opcodes } from "./websocket-frames.js";

/** What a WebSocket is made of once the server has agreed to it. */
export interface WebSocketOptions {
  /** The connection. */
  readonly socket: Duplex;
  /** The subprotocol that the server chose. */
  readonly protocol: string;
  /** What it is, for messages: `GET /path at https://server`. */
  readonly action: string;
  /** Ends it at once. */
  readonly signal: AbortSignal;
  /** Where time comes from. */
  readonly clock: Clock;
}

/** A WebSocket of Node's side. */
export interface NodeWebSocket extends TransportSocket {
  /** Ends it at once with an error. */
  destroy(error: Error): void;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
}

const pauseAbove = 1024 * 1024;
const maxMessageBytes = 64 * 1024 * 1024;
const pingEveryMs = 20_000;
const silentForMs = 60_000;
const closeWithinMs = 1_000;

/**
 * Speaks RFC 6455 as a client. Unlike the platform's WebSocket it stops reading from the socket while nobody takes the
 * messages, and it pings, so that a peer that is gone is noticed within about a minute.
 */
export function createWebSocket(options: WebSocketOptions): NodeWebSocket {
  const { socket, protocol, action, signal, clock } = options;
  const reader = createFrameReader();
  const queue: Uint8Array[] = [];
  let queued = 0;
  let parts: Uint8Array[] = [];
  let partBytes = 0;
  let outcome: { error: unknown } | "end" | undefined;
  let waiting: { resolve: (result: IteratorResult<Uint8Array>) => void; reject: (error: unknown) => void } | undefined;
  let closeSent = false;
  let heardAt = clock.monotonic();
  let timer: Timer | undefined;
  let closing: Promise<void> | undefined;
  const gone = new Promise<void>((resolve) => void socket.once("close", () => resolve()));

  function finish(next: { error: unknown } | "end"): void {
    if (outcome !== undefined) return;
    outcome = next;
    timer?.cancel();
    signal.removeEventListener("abort", onAbort);
    if (!waiting) return;
    const { resolve, reject } = waiting;
    waiting = undefined;
    if (next === "end") resolve({ done: true, value: undefined });
    else reject(next.error);
  }

  function destroy(error: unknown): void {
    finish({ error });
    socket.destroy();
  }

  function onAbort(): void {
    queue.length = 0;
    destroy(signal.reason);
  }

  function beat(): void {
    timer = clock.setTimer(() => {
      // While nobody reads, the peer's pongs are not read either.
      if (!socket.isPaused() && clock.monotonic() - heardAt > silentForMs) {
        destroy(
          new TransportError(`${action}: the peer gave no sign of life for ${silentForMs} ms`, { code: "ETIMEDOUT" }),
        );
        return;
      }
      socket.write(encodeFrame(opcodes.ping, new Uint8Array()));
      beat();
    }, pingEveryMs);
  }

  function deliver(message: Uint8Array): void {
    if (waiting) {
      const { resolve } = waiting;
      waiting = undefined;
      resolve({ done: false, value: message });
      return;
    }
    queue.push(message);
    queued += message.length;
    if (queued > pauseAbove) socket.pause();
  }

  function onMessagePart(fin: boolean, opcode: number, payload: Uint8Array): void {
    if ((opcode === opcodes.continuation) !== parts.length > 0)
      throw new ProtocolError(`${action}: the pieces of a WebSocket message are out of order`);
    partBytes += payload.length;
    if (partBytes > maxMessageBytes)
      throw new ProtocolError(`${action}: a WebSocket message is longer than ${maxMessageBytes} bytes`);
    parts.push(payload);
    if (!fin) return;
    const message = parts.length === 1 ? payload : Buffer.concat(parts);
    parts = [];
    partBytes = 0;
    deliver(message);
  }

  function onClose(payload: Uint8Array): void {
    const code = payload.length >= 2 ? (payload[0]! << 8) | payload[1]! : 1005;
    if (!closeSent) socket.write(encodeFrame(opcodes.close, payload.subarray(0, 2)));
    closeSent = true;
    socket.end();
    const clean = code === 1000 || code === 1001 || code === 1005;
    finish(
      clean
        ? "end"
        : {
            error: new TransportError(
              `${action}: the peer closed the WebSocket with code ${code}${closeReason(payload)}`,
              { code: String(code) },
            ),
          },
    );
  }

  socket.on("data", (chunk: Uint8Array) => {
    heardAt = clock.monotonic();
    if (outcome !== undefined) return;
    try {
      for (const { fin, opcode, payload } of reader.push(chunk)) {
        if (opcode === opcodes.ping) socket.write(encodeFrame(opcodes.pong, payload));
        else if (opcode === opcodes.close) onClose(payload);
        else if (opcode !== opcodes.pong) onMessagePart(fin, opcode, payload);
        if (outcome !== undefined) return;
      }
    } catch (error) {
      destroy(error);
    }
  });
  socket.on("error", (error: Error) => finish({ error: transportFailure(action, error) }));
  socket.on("close", () =>
    finish(
      closeSent
        ? "end"
        : { error: new TransportError(`${action}: the connection was closed by the peer`, { code: "UND_ERR_SOCKET" }) },
    ),
  );
  if (signal.aborted) onAbort();
  else {
    signal.addEventListener("abort", onAbort);
    beat();
  }

  const messages: AsyncIterableIterator<Uint8Array> = {
    next() {
      const message = queue.shift();
      if (message) {
        queued -= message.length;
        if (queued <= pauseAbove && socket.isPaused()) socket.resume();
        return Promise.resolve({ done: false, value: message });
      }
      return new Promise((resolve, reject) => {
        if (outcome === undefined) waiting = { resolve, reject };
        else if (outcome === "end") resolve({ done: true, value: undefined });
        else {
          const { error } = outcome;
          outcome = "end";
          reject(error);
        }
      });
    },
    async return() {
      queue.length = 0;
      await close();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return messages;
    },
  };

  function close(): Promise<void> {
    closing ??= shut();
    return closing;
  }

  async function shut(): Promise<void> {
    const open = outcome === undefined && !socket.destroyed;
    finish("end");
    if (open && !closeSent) {
      closeSent = true;
      socket.end(encodeFrame(opcodes.close, Uint8Array.from([0x03, 0xe8])));
    }
    socket.resume();
    const limit = clock.setTimer(() => socket.destroy(), open ? closeWithinMs : 0);
    await gone;
    limit.cancel();
  }

  return {
    protocol,
    messages,
    close,
    destroy,
    closed: gone,
    send(message) {
      if (outcome !== undefined || closeSent || socket.destroyed) return Promise.reject(failureOf(outcome));
      if (socket.write(encodeFrame(opcodes.binary, message))) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const settle = (): void => {
          socket.off("drain", settle).off("close", settle);
          if (socket.destroyed) reject(failureOf(outcome));
          else resolve();
        };
        socket.on("drain", settle).on("close", settle);
      });
    },
  };

  function failureOf(ended: { error: unknown } | "end" | undefined): Error {
    if (ended !== undefined && ended !== "end") return ended.error as Error;
    return new ClosedError(`${action}: the WebSocket is closed`);
  }
}

/** The peer's reason, in one line. */
function closeReason(payload: Uint8Array): string {
  const reason = new TextDecoder()
    .decode(payload.subarray(2))
    .replace(/[^\x20-\x7e]+/g, " ")
    .trim();
  return reason === "" ? "" : `: ${reason}`;
}
