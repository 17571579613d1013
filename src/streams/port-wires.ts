import { ProtocolError, TransportError } from "../errors/errors.js";
import { concatBytes } from "../internal/bytes.js";
import { createSpdyReader, encodeData, encodeOpen, encodePing, encodeReset } from "./spdy-frames.js";

/** Where the parts of a forwarded connection go. */
export interface PortSink {
  /** Takes what the pod sends. */
  data(payload: Uint8Array): void;
  /** Takes the kubelet's words about a failure. */
  words(payload: Uint8Array): void;
  /** Told when something may be sent to the pod. */
  opened(): void;
  /** Told when all is said, with what went wrong unless there were words. */
  over(failure?: Error): void;
  /** Sends a message at once. */
  send(message: Uint8Array): void;
}

/** How one forwarded connection is spoken over a WebSocket. */
export interface PortWire {
  /** The message to begin with. */
  readonly hello?: Uint8Array;
  /** Takes a message of the server. Throws a `ProtocolError` for one that makes no sense. */
  receive(message: Uint8Array): void;
  /** A message with bytes for the pod. */
  encode(data: Uint8Array): Uint8Array;
  /** The message that says that no more bytes come; absent where that cannot be said. */
  readonly end?: Uint8Array;
}

/** The subprotocols, the better one first: only a tunnel can end one direction. Servers before 1.30 have none. */
export const portProtocols = ["SPDY/3.1+portforward.k8s.io", "v4.channel.k8s.io"] as const;

/** Makes the wire that a server chose. */
export function createPortWire(protocol: string, port: number, action: string, sink: PortSink): PortWire {
  return protocol === portProtocols[0] ? createTunnel(port, action, sink) : createChannels(port, action, sink);
}

/** Of each port a channel of data and one of errors, each beginning with the port's number in two bytes. */
function createChannels(port: number, action: string, sink: PortSink): PortWire {
  const greeted = [false, false];
  sink.opened();
  return {
    receive(message) {
      const channel = message[0]!;
      if (channel > 1) throw new ProtocolError(`${action}: data on channel ${channel}, which was not asked for`);
      const payload = message.subarray(1);
      if (greeted[channel]) {
        if (channel === 0) sink.data(payload);
        else sink.words(payload);
        return;
      }
      if (payload.length !== 2 || (payload[0]! | (payload[1]! << 8)) !== port)
        throw new ProtocolError(`${action}: channel ${channel} does not begin with the number of the port`);
      greeted[channel] = true;
    },
    encode: (data) => concatBytes([Uint8Array.from([0]), data]),
  };
}

const streams = { error: 1, data: 3 };

/** SPDY through the WebSocket: a stream of data and one of errors. */
function createTunnel(port: number, action: string, sink: PortSink): PortWire {
  const reader = createSpdyReader();
  const headers = { port: String(port), requestid: "0" };
  const ended = new Set<number>();
  let failure: TransportError | undefined;

  function end(stream: number): void {
    ended.add(stream);
    if (ended.has(streams.data) && ended.has(streams.error)) sink.over(failure);
  }

  return {
    hello: concatBytes([
      encodeOpen(streams.error, { streamtype: "error", ...headers }, { first: true, fin: true }),
      encodeOpen(streams.data, { streamtype: "data", ...headers }, {}),
    ]),
    receive(message) {
      for (const { type, id, fin, data } of reader.push(message)) {
        // A ping of the server's own has an even number.
        if (type === "ping" && id % 2 === 0) sink.send(encodePing(id));
        if (type === "ping" || type === "other" || ended.has(id)) continue;
        if (id !== streams.data && id !== streams.error)
          throw new ProtocolError(`${action}: something on stream ${id}, which was not asked for`);
        if (type === "reply" && id === streams.data) sink.opened();
        if (type === "data" && id === streams.data) sink.data(data);
        else if (type === "data") sink.words(data);
        if (type === "reset" && id === streams.data)
          failure = new TransportError(`${action}: the connection was reset`, { code: "ECONNRESET" });
        // Whoever sends nothing more is not to wait for us either: only then does the stream of errors end.
        if (fin && id === streams.data) sink.send(encodeReset(id));
        if (fin || type === "reset") end(id);
      }
    },
    encode: (data) => encodeData(streams.data, data),
    end: encodeData(streams.data, new Uint8Array(), true),
  };
}
