import { ProtocolError, TransportError } from "../errors/errors.js";
import { concatBytes } from "../internal/bytes.js";
import { createSpdyReader, encodeData, encodeOpen, encodePing, encodeReset } from "../internal/streams/spdy-frames.js";

/** Callbacks for the parts of a forwarded connection. */
export interface PortSink {
  /** Receives bytes from the pod. */
  data(payload: Uint8Array): void;
  /** Receives the kubelet's error message. */
  error(payload: Uint8Array): void;
  /** Called when bytes can be sent to the pod. */
  opened(): void;
  /** Called at the end, with the failure unless `error` received one. */
  ended(failure?: Error): void;
  /** Sends a message. The next one is received when there is room for more. */
  send(message: Uint8Array): void;
}

/** Wire format of one forwarded connection over a WebSocket. */
export interface PortWire {
  /** First message to send. */
  readonly openingMessage?: Uint8Array;
  /** Handles a message from the server. Throws a `ProtocolError` for an invalid one. */
  receive(message: Uint8Array): void;
  /** Encodes bytes for the pod. */
  encode(data: Uint8Array): Uint8Array;
  /** Message that ends the stream of bytes; absent if the protocol has none. */
  readonly end?: Uint8Array;
}

/** Subprotocols in order of preference. Only the tunnel can half-close. Servers before 1.30 don't support it. */
export const portProtocols = ["SPDY/3.1+portforward.k8s.io", "v4.channel.k8s.io"] as const;

/** Creates the wire format for the subprotocol the server chose. */
export function createPortWire(protocol: string, port: number, action: string, sink: PortSink): PortWire {
  return protocol === portProtocols[0] ? createTunnel(port, action, sink) : createChannels(port, action, sink);
}

/** v4: one channel for data and one for errors per port. Each starts with the port number in two bytes. */
function createChannels(port: number, action: string, sink: PortSink): PortWire {
  const greeted = [false, false];
  sink.opened();
  return {
    receive(message) {
      const channel = message[0]!;
      if (channel > 1) throw new ProtocolError(`${action}: unexpected data on channel ${channel}`);
      const payload = message.subarray(1);
      if (greeted[channel]) {
        if (channel === 0) sink.data(payload);
        else sink.error(payload);
        return;
      }
      if (payload.length !== 2 || (payload[0]! | (payload[1]! << 8)) !== port)
        throw new ProtocolError(`${action}: channel ${channel} does not start with the port number`);
      greeted[channel] = true;
    },
    encode: (data) => concatBytes([Uint8Array.from([0]), data]),
  };
}

const streams = { error: 1, data: 3 };

/** SPDY through the WebSocket: one stream for data and one for errors. */
function createTunnel(port: number, action: string, sink: PortSink): PortWire {
  const reader = createSpdyReader((message) => new ProtocolError(message));
  const headers = { port: String(port), requestid: "0" };
  const ended = new Set<number>();
  let failure: TransportError | undefined;

  function end(stream: number): void {
    ended.add(stream);
    if (ended.has(streams.data) && ended.has(streams.error)) sink.ended(failure);
  }

  return {
    openingMessage: concatBytes([
      encodeOpen(streams.error, { streamtype: "error", ...headers }, { first: true, fin: true }),
      encodeOpen(streams.data, { streamtype: "data", ...headers }, {}),
    ]),
    receive(message) {
      let ping: number | undefined;
      for (const { type, id, fin, data } of reader.push(message)) {
        // Only pings from the server have even numbers. The newest is answered for all.
        if (type === "ping" && id % 2 === 0) ping = id;
        if ((type !== "data" && type !== "reply" && type !== "reset") || ended.has(id)) continue;
        if (id !== streams.data && id !== streams.error)
          throw new ProtocolError(`${action}: unexpected frame on stream ${id}`);
        if (type === "reply" && id === streams.data) sink.opened();
        if (type === "data" && id === streams.data) sink.data(data);
        else if (type === "data") sink.error(data);
        if (type === "reset" && id === streams.data)
          failure = new TransportError(`${action}: the connection was reset`, { code: "ECONNRESET" });
        // The pod has finished sending. Reset the data stream, because the error stream only ends after it.
        if (fin && id === streams.data) sink.send(encodeReset(id));
        if (fin || type === "reset") end(id);
      }
      if (ping !== undefined) sink.send(encodePing(ping));
    },
    encode: (data) => encodeData(streams.data, data),
    end: encodeData(streams.data, new Uint8Array(), true),
  };
}
