import { concatBytes, utf8Encode } from "../../internal/bytes.js";
import { createByteChannel } from "../../internal/streams/byte-channel.js";
import type { SocketHandler, SocketPeer } from "../http/http.js";
import type { ContainerSession, PortStream } from "./kubelet.js";
import { inputBytes, runPort, runSession, type ServePort, type ServeSession, type SessionStreams } from "./session.js";
import { createTerminalSizes } from "./terminal-sizes.js";

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 };

/** Serves exec or attach over a WebSocket: the first byte of each message is the number of its channel. */
export function sessionOverChannels(
  signal: AbortSignal,
  peer: SocketPeer,
  serve: ServeSession,
  wanted: SessionStreams,
): SocketHandler {
  const stdin = createByteChannel(inputBytes);
  if (!wanted.stdin) stdin.end();
  const gone = new AbortController();
  const sizes = createTerminalSizes();
  const session: ContainerSession = {
    stdin: stdin.bytes,
    write: (stream, data) =>
      wanted[stream] && data.length > 0 ? peer.send(onChannel(channels[stream], data)) : Promise.resolve(),
    onResize: (callback) => sizes.onResize(callback),
    signal: AbortSignal.any([gone.signal, signal]),
  };
  void (async () => {
    // Lets the caller have the handler first.
    await Promise.resolve();
    const status = await runSession(serve, session);
    // Doesn't wait for a client that may not read: the connection ends when it has read all, or after a time.
    void peer.send(onChannel(channels.error, utf8Encode(JSON.stringify(status))));
    peer.close();
  })();
  return {
    message(payload) {
      const [channel] = payload;
      if (channel === channels.close && payload[1] === channels.stdin) stdin.end();
      if (channel === channels.resize) sizes.receive(payload.subarray(1));
      if (channel !== channels.stdin || !wanted.stdin) return undefined;
      stdin.push(payload.slice(1));
      return stdin.room();
    },
    closed() {
      gone.abort(new Error("the client is gone"));
      stdin.end();
    },
  };
}

function onChannel(channel: number, data: Uint8Array): Uint8Array {
  return concatBytes([Uint8Array.of(channel), data]);
}

/** Port of a request, with the function that serves it. */
export interface ServedPort {
  readonly port: number;
  readonly serve: ServePort;
}

/** Serves ports over a WebSocket, with two channels for each. */
export function portsOverChannels(signal: AbortSignal, peer: SocketPeer, ports: readonly ServedPort[]): SocketHandler {
  let open = ports.length;
  const close = (): void => {
    if (--open === 0) peer.close();
  };
  const lanes = ports.map((served, index) =>
    openLane(signal, { send: (message) => peer.send(message), close }, served, 2 * index),
  );
  return {
    message: (payload) => (payload[0]! % 2 === 0 ? lanes[payload[0]! / 2]?.message(payload.slice(1)) : undefined),
    closed: () => lanes.forEach((lane) => lane.closed()),
  };
}

/** Serves one port over a channel for data and one for errors. Both begin with the number of the port. */
function openLane(signal: AbortSignal, peer: SocketPeer, { port, serve }: ServedPort, channel: number): SocketHandler {
  const input = createByteChannel(inputBytes);
  const gone = new AbortController();
  const stream: PortStream = {
    input: input.bytes,
    write: (data) => (data.length > 0 ? peer.send(onChannel(channel, data)) : Promise.resolve()),
    signal: AbortSignal.any([gone.signal, signal]),
  };
  void (async () => {
    // Lets the caller have the handler first.
    await Promise.resolve();
    const greeting = Uint8Array.of(port & 255, port >> 8);
    await peer.send(onChannel(channel, greeting));
    await peer.send(onChannel(channel + 1, greeting));
    const problem = await runPort(serve, stream);
    if (problem !== undefined) await peer.send(onChannel(channel + 1, utf8Encode(problem)));
    peer.close();
  })();
  return {
    message(payload) {
      input.push(payload);
      return input.room();
    },
    closed() {
      gone.abort(new Error("the client is gone"));
      input.end();
    },
  };
}
