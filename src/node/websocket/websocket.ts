import type { Duplex } from "node:stream";
import * as ws from "ws";
import { ClosedError, ProtocolError, TransportError } from "../../errors/errors.js";
import type { Clock, Timer } from "../../internal/clock.js";
import { createMessageQueue } from "../../internal/streams/message-queue.js";
import type { FrameClasses } from "../../internal/streams/ws-frames.js";
import { createPongs, maxBufferedChunks, maxFragments } from "../../internal/streams/ws-frames.js";
import { closeFailure, iterateMessages } from "../../transport/socket-messages.js";
import type { TransportSocket } from "../../transport/transport.js";
import { transportFailure } from "./transport-failure.js";

const { Receiver, Sender } = ws as unknown as FrameClasses<Duplex>;

/** Throws if the runtime replaces `ws` with one that has no parts to read and write frames, as Bun does. */
export function requireFrames(): void {
  new Receiver(receiverOptions);
}

/** Options for `createWebSocket`. */
export interface WebSocketOptions {
  /** Connection that the server has upgraded. */
  readonly socket: Duplex;
  /** Subprotocol that the server chose. */
  readonly protocol: string;
  /** Description for messages: `GET /path at https://server`. */
  readonly action: string;
  /** Closes the WebSocket immediately. */
  readonly signal: AbortSignal;
  /** Clock for pings and timeouts. */
  readonly clock: Clock;
  /** True for the side that accepted the connection. Default `false`. */
  readonly server?: boolean | undefined;
}

/** WebSocket over a Node.js socket. */
export interface NodeWebSocket extends TransportSocket {
  /** Closes it immediately with an error. */
  destroy(error: Error): void;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
}

const maxMessageBytes = 64 * 1024 * 1024;
const receiverOptions = { isServer: false, maxPayload: maxMessageBytes, maxFragments, maxBufferedChunks };
const pingEveryMs = 20_000;
const silentForMs = 60_000;
const closeWithinMs = 1_000;
const noBytes = new Uint8Array();

/**
 * Speaks RFC 6455 as either side, with the frame parser of `ws`. Unlike the platform's WebSocket, it applies
 * back-pressure: it stops reading from the socket while messages wait. It also sends pings, so it notices a dead peer
 * within about a minute.
 */
export function createWebSocket(options: WebSocketOptions): NodeWebSocket {
  const { socket, protocol, action, signal, clock, server = false } = options;
  const mask = !server;
  const sender = new Sender(socket);
  const queue = createMessageQueue(() => {
    if (socket.isPaused()) socket.resume();
  });
  let closeSent = false;
  let closing: Promise<void> | undefined;
  const gone = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  const heartbeat = createHeartbeat(options, () => sender.ping(noBytes, mask), destroy);

  function finish(error?: { readonly error: unknown }): void {
    queue.end(error);
    heartbeat.stop();
    signal.removeEventListener("abort", onAbort);
  }

  function destroy(error: unknown): void {
    finish({ error });
    socket.destroy();
  }

  function onAbort(): void {
    queue.clear();
    destroy(signal.reason);
  }

  function onMessage(message: Uint8Array): void {
    if (queue.ended) return;
    queue.push(message);
    if (queue.full) socket.pause();
  }

  function pong(payload: Uint8Array, done: () => void): void {
    if (!queue.ended) sender.pong(payload, mask, done);
  }

  function onClose(code: number, reason: Uint8Array): void {
    if (queue.ended) return;
    if (!closeSent) sender.close(code === 1005 ? undefined : code, undefined, mask);
    closeSent = true;
    socket.end();
    finish(closeFailure(action, code, new TextDecoder().decode(reason)));
  }

  const receiver = new Receiver({ ...receiverOptions, isServer: server })
    .on("message", onMessage)
    .on("ping", createPongs(pong))
    .on("conclude", onClose)
    .on("error", (error) =>
      destroy(new ProtocolError(`${action}: the peer broke the WebSocket protocol: ${error.message}`)),
    );
  socket.on("data", (chunk: Uint8Array) => {
    heartbeat.heard();
    if (!queue.ended) receiver.write(chunk);
  });
  socket.on("error", (error: Error) => finish({ error: transportFailure(action, error) }));
  socket.on("close", () => {
    const message = `${action}: the peer closed the connection`;
    finish(closeSent ? undefined : { error: new TransportError(message, { code: "UND_ERR_SOCKET" }) });
  });
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort);

  async function shut(): Promise<void> {
    const open = !queue.ended && !socket.destroyed;
    finish();
    if (open && !closeSent) {
      closeSent = true;
      sender.close(1000, undefined, mask);
      socket.end();
    }
    socket.resume();
    const limit = clock.setTimer(() => socket.destroy(), open ? closeWithinMs : 0);
    await gone;
    limit.cancel();
  }

  function close(): Promise<void> {
    closing ??= shut();
    return closing;
  }

  const failure = (): Error => queue.failure ?? new ClosedError(`${action}: the WebSocket is closed`);

  return {
    protocol,
    messages: iterateMessages(queue, close),
    close,
    destroy,
    closed: gone,
    send(message) {
      if (queue.ended || closeSent || socket.destroyed) return Promise.reject(failure());
      sender.send(message, { binary: true, fin: true, mask, compress: false });
      return socket.writableNeedDrain ? drained(socket, failure) : Promise.resolve();
    },
  };
}

/** Sends pings, and calls `fail` when the peer has been silent for too long. */
function createHeartbeat(
  { socket, action, signal, clock }: WebSocketOptions,
  ping: () => void,
  fail: (error: Error) => void,
): { heard(): void; stop(): void } {
  let heardAt = clock.monotonic();
  let timer: Timer | undefined;

  function beat(): void {
    timer = clock.setTimer(() => {
      // A paused socket delivers no pongs.
      if (!socket.isPaused() && clock.monotonic() - heardAt > silentForMs) {
        const message = `${action}: received nothing from the peer for ${silentForMs} ms`;
        fail(new TransportError(message, { code: "ETIMEDOUT" }));
        return;
      }
      ping();
      beat();
    }, pingEveryMs);
  }

  if (!signal.aborted) beat();
  return {
    heard() {
      heardAt = clock.monotonic();
    },
    stop: () => timer?.cancel(),
  };
}

/** Resolves when the socket accepts more; rejects if it's destroyed first. */
function drained(socket: Duplex, failure: () => Error): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      socket.off("drain", settle).off("close", settle);
      if (socket.destroyed) reject(failure());
      else resolve();
    };
    socket.on("drain", settle).on("close", settle);
  });
}
