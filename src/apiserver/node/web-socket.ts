import type { Duplex } from "node:stream";
import * as ws from "ws";
import { systemClock, type Timer } from "../../internal/clock.js";
import type { FrameClasses } from "../../internal/streams/ws-frames.js";
import { createPongs, maxBufferedChunks, maxFragments } from "../../internal/streams/ws-frames.js";
import type { BodyStream, ServerSocket } from "../http/http.js";
import { closeFrame } from "../wire/websocket.js";
import { endSoon } from "./framing.js";
import type { Upgrade } from "./upgrade.js";

const { Receiver, Sender } = ws as unknown as FrameClasses<Duplex>;

const binary = 2;
const ping = 9;
const pong = 10;

/** Time in milliseconds between pings to a client that isn't read: only a write shows that it has left. */
const probeMs = 30_000;

/** Bytes that wait for a client before it's given up: it doesn't read, and not every writer waits for it. */
const mostUnread = 32 * 1024 * 1024;
/** Milliseconds that a client has to read the rest when its session has ended. */
const readWithinMs = 600_000;

/** Maximum size of a client message in bytes, the same as Go's. */
const maxPayload = 32 * 1024 * 1024;

/** Returns one complete server frame. */
export function writeFrame(opcode: number, payload: Uint8Array): Uint8Array {
  const pieces = Sender.frame(payload, { opcode, fin: true, mask: false, readOnly: true });
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

/**
 * Returns a sink for the bytes that a WebSocket client sends. It answers pings, calls `ended` on a close frame or a
 * protocol violation, and passes messages to `message`, which drops them by default. `write` calls back when the frame has left this process.
 */
export function createFrameSink(
  write: (frame: Uint8Array, done: () => void) => void,
  ended: () => void,
  message: (payload: Uint8Array) => void = () => undefined,
): (chunk: Buffer) => void {
  let over = false;
  const end = (): void => {
    if (over) return;
    over = true;
    ended();
  };
  const receiver = new Receiver({ isServer: true, maxPayload, maxFragments, maxBufferedChunks })
    .on(
      "ping",
      createPongs((payload, done) => {
        if (!over) write(writeFrame(pong, payload), done);
      }),
    )
    .on("message", (payload) => {
      if (!over) message(payload);
    })
    .on("conclude", end)
    .on("error", () => {
      if (!over) write(closeFrame(writeFrame, 1002), () => undefined);
      end();
    });
  return (chunk) => {
    if (!over) receiver.write(chunk);
  };
}

/** Sends a response that takes the connection over, then closes the connection. */
export async function serveUpgrade(
  { socket, head }: Upgrade,
  start: Uint8Array,
  body: BodyStream | undefined,
): Promise<void> {
  socket.on("error", () => socket.destroy());
  socket.write(start);
  if (body === undefined) {
    endSoon(socket);
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
    (frame, done) => socket.write(frame, done),
    () => {
      if (!ended) socket.write(closeFrame(writeFrame, 1000));
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
    endSoon(socket);
  }
}

/** Sends the head of a response, then carries on a conversation until either side closes the connection. */
export function serveConversation({ socket, head }: Upgrade, start: Uint8Array, { open, rawPing }: ServerSocket): void {
  let closed = false;
  let waiting = 0;
  let wake: (() => void)[] = [];
  let probe: Timer | undefined;
  const probeLater = (): void => {
    probe = systemClock.setTimer(() => {
      if (!socket.writableNeedDrain) socket.write(rawPing ?? writeFrame(ping, new Uint8Array()));
      probeLater();
    }, probeMs);
  };
  const release = (): void => {
    const resolves = wake;
    wake = [];
    for (const resolve of resolves) resolve();
  };
  const close = (): void => {
    if (closed) return;
    closed = true;
    probe?.cancel();
    if (rawPing === undefined) socket.write(closeFrame(writeFrame, 1000));
    endSoon(socket, readWithinMs);
    release();
    handler.closed();
  };
  socket.on("error", () => socket.destroy());
  socket.write(start);
  const handler = open({
    send(message) {
      if (socket.writableLength > mostUnread) socket.destroy();
      if (closed || socket.destroyed || socket.write(rawPing === undefined ? writeFrame(binary, message) : message))
        return Promise.resolve();
      return new Promise((resolve) => wake.push(resolve));
    },
    close,
  });
  const receive = (payload: Uint8Array): void => {
    if (closed) return;
    const handled = handler.message(payload);
    if (handled === undefined) return;
    socket.pause();
    if (waiting++ === 0) probeLater();
    void handled.finally(() => {
      if (--waiting > 0) return;
      probe?.cancel();
      socket.resume();
    });
  };
  const sink =
    rawPing === undefined ? createFrameSink((frame, done) => socket.write(frame, done), close, receive) : receive;
  socket.on("data", sink).on("close", close).on("end", close).on("drain", release);
  if (head.length > 0) sink(head);
  if (waiting === 0) socket.resume();
}
