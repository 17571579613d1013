import { type ByteChannel, createByteChannel } from "../../internal/streams/byte-channel.js";
import {
  createSpdyReader,
  encodeData,
  encodeGoAway,
  encodePing,
  encodeReply,
  encodeReset,
  type SpdyFrame,
} from "../../internal/streams/spdy-frames.js";
import type { Inflate, SocketHandler, SocketPeer } from "../http/http.js";
import { createHeaderDecoder } from "./spdy-headers.js";

/** Stream that the client of a SPDY connection has opened. */
export interface SpdyStream {
  /** Number of the stream. */
  readonly id: number;
  /** Headers by name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Bytes from the client, until it ends or resets the stream or leaves. */
  readonly input: AsyncIterableIterator<Uint8Array>;
  /** Aborts when the client resets the stream or leaves. */
  readonly signal: AbortSignal;
  /** Sends bytes. Resolves when there is room for more. */
  write(data: Uint8Array): Promise<void>;
  /** Ends the stream in the client's direction. */
  end(): void;
  /** Ends the stream in both directions. */
  reset(): void;
}

/** A SPDY connection from the server's side. */
export interface SpdyConnection extends SocketHandler {
  /** Announces the end, and closes the connection. */
  close(): void;
}

/** Options for `createSpdyConnection`. */
export interface SpdyOptions {
  readonly peer: SocketPeer;
  readonly inflate: Inflate;
  /** Receives a new stream. Returns false to refuse it. */
  readonly accept: (stream: SpdyStream) => boolean;
  /** Called once when the connection has closed. */
  readonly closed: () => void;
}

/** Bytes of one stream that wait until the connection isn't read any further. There may be a thousand streams. */
const streamBytes = 64 * 1024;
/**
 * Maximum number of streams of one connection that are open, of those that it opens in one message, and of those that
 * are refused. A client that opens and resets streams as fast as it can occupies the server only for one message.
 */
const maxStreams = 1_000;
/** Maximum length of a data frame that is sent, in bytes. */
const maxFrameBytes = 1024 * 1024;

/** An open stream with the connection's side of it. */
interface OpenStream {
  readonly channel: ByteChannel;
  readonly gone: AbortController;
  received: boolean;
  sent: boolean;
}

/**
 * Serves a SPDY/3.1 connection. Invalid frames and too many streams close it. It isn't read on while replies wait to be
 * sent. Like Go's, it has no flow control per stream.
 */
export function createSpdyConnection({ peer, inflate, accept, closed }: SpdyOptions): SpdyConnection {
  const reader = createSpdyReader((message) => new RangeError(message));
  const decodeHeaders = createHeaderDecoder(inflate);
  const streams = new Map<number, OpenStream>();
  let lastId = 0;
  let replied = false;
  let isBroken = false;
  let openedByMessage = 0;
  let refused = 0;

  const forgetEnded = (id: number, stream: OpenStream): void => {
    if (stream.received && stream.sent) streams.delete(id);
  };
  const drop = (id: number, stream: OpenStream): void => {
    streams.delete(id);
    stream.sent = true;
    stream.channel.end();
    stream.gone.abort(new Error("the client is gone"));
  };
  const open = ({ id, fin, data }: SpdyFrame): Promise<void> => {
    if (id <= lastId || streams.size >= maxStreams || ++openedByMessage > maxStreams)
      throw new RangeError(`SPDY stream ${id} can't be opened`);
    const headers = decodeHeaders(data);
    lastId = id;
    const stream = createStream(fin);
    const end = (reset: boolean): void => {
      if (stream.sent) return;
      stream.sent = true;
      void peer.send(reset ? encodeReset(id) : encodeData(id, new Uint8Array(), true));
      if (reset) streams.delete(id);
      else forgetEnded(id, stream);
    };
    const opened: SpdyStream = {
      id,
      headers,
      input: stream.channel.bytes,
      signal: stream.gone.signal,
      async write(payload) {
        for (let at = 0; at < payload.length && !stream.sent; at += maxFrameBytes)
          await peer.send(encodeData(id, payload.subarray(at, at + maxFrameBytes)));
      },
      end: () => end(false),
      reset: () => end(true),
    };
    if (!accept(opened)) {
      if (++refused > maxStreams) throw new RangeError("too many SPDY streams were refused");
      return peer.send(encodeReset(id));
    }
    streams.set(id, stream);
    const sent = peer.send(encodeReply(id, !replied));
    replied = true;
    return sent;
  };
  /** Receives data, or the end of a stream. Adds the channel of the data. */
  const receive = ({ type, id, fin, data }: SpdyFrame, channels: Set<ByteChannel>): void => {
    const stream = streams.get(id);
    if (stream === undefined) return;
    if (type === "reset") drop(id, stream);
    if (type !== "data") return;
    stream.channel.push(data);
    channels.add(stream.channel);
    if (!fin) return;
    stream.received = true;
    stream.channel.end();
    forgetEnded(id, stream);
  };
  return {
    message(payload) {
      if (isBroken) return undefined;
      openedByMessage = 0;
      try {
        const waits: Promise<void>[] = [];
        const channels = new Set<ByteChannel>();
        let ping: number | undefined;
        for (const frame of reader.push(payload)) {
          if (frame.type === "open") waits.push(open(frame));
          // Only pings from the client have odd numbers. The newest is answered for all.
          else if (frame.type === "ping" && frame.id % 2 === 1) ping = frame.id;
          else receive(frame, channels);
        }
        if (ping !== undefined) waits.push(peer.send(encodePing(ping)));
        for (const channel of channels) waits.push(channel.room());
        return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
      } catch {
        isBroken = true;
        peer.close();
        return undefined;
      }
    },
    closed() {
      for (const [id, stream] of streams) drop(id, stream);
      closed();
    },
    close() {
      void peer.send(encodeGoAway(lastId));
      peer.close();
    },
  };
}

/** Creates a stream. `fin` is true if the client sends no data. */
function createStream(fin: boolean): OpenStream {
  const channel = createByteChannel(streamBytes);
  if (fin) channel.end();
  return { channel, gone: new AbortController(), received: fin, sent: false };
}
