import { ProtocolError } from "../errors/errors.js";
import { onAbort } from "../internal/abort.js";
import type { Clock } from "../internal/clock.js";
import { Fifo } from "../internal/streams/fifo.js";
import {
  decodeFrame,
  decodeJson,
  decodeNumber,
  encodeFrame,
  encodeJsonFrame,
  type Frame,
  frameTypes,
  muxProtocol,
  splitOpen,
} from "../mux/frames.js";
import type { TransportSocket } from "../transport/transport.js";
import { statusResponse } from "./messages.js";
import { createProxyStream, type ProxyStream, type StreamOutput, streamHeaders } from "./mux-stream.js";
import { isPlainPath } from "./target.js";

/** Options for `createMuxSession`. */
export interface MuxSessionOptions {
  /** Request that opened the connection. */
  readonly request: Request;
  /** Path in front of the names of clusters. */
  readonly prefix: string;
  /** Answers one request, as if it had come without multiplexing. */
  readonly handle: (request: Request) => Promise<Response>;
  /** Returns the reason why the connection must end; `undefined` if the user may go on. */
  readonly recheck: () => Promise<string | undefined>;
  /** Milliseconds between two calls of `recheck`. */
  readonly recheckMs: number;
  /** Bytes of a request's body. */
  readonly bodyBytes: number;
  /** Streams at a time. */
  readonly maxStreams: number;
  /** Source of time. */
  readonly clock: Clock;
  /** Called once when the session is over. */
  readonly onEnd: () => void;
}

/** Longest head of a request in bytes. */
const maxHeadBytes = 64 * 1024;
/** Frames that may wait for the page before its next frames are read. */
const maxWaitingFrames = 1_000;

/**
 * Runs the proxy's side of a multiplexed connection: each stream is a request of its own, to which everything applies
 * that applies to a plain request. The result is the connection as the server that accepts the WebSocket sees it.
 */
export function createMuxSession(options: MuxSessionOptions): TransportSocket {
  const { clock, recheckMs, maxStreams, onEnd } = options;
  const streams = new Map<number, ProxyStream>();
  let lastStream = 0;
  let ended = false;
  const output = createOutput(({ id }) => void streams.delete(id));

  const finish = (): void => {
    if (ended) return;
    ended = true;
    timer.cancel();
    unfollow();
    for (const stream of streams.values()) stream.cancel();
    streams.clear();
    output.end();
    onEnd();
  };
  const recheck = async (): Promise<void> => {
    const message = await options.recheck().catch(() => "the proxy failed to authenticate the page again");
    if (ended) return;
    if (message === undefined) timer = clock.setTimer(() => void recheck(), recheckMs, { upkeep: true });
    else {
      output.control(encodeJsonFrame(frameTypes.bye, 0, { message }));
      finish();
    }
  };
  let timer = clock.setTimer(() => void recheck(), recheckMs, { upkeep: true });
  const unfollow = onAbort(options.request.signal, () => finish());

  const open = ({ stream: id, payload }: Frame): void => {
    const parts = splitOpen(payload);
    if (id <= lastStream || parts === undefined || parts.head.length > maxHeadBytes) throw broken("opened a stream");
    lastStream = id;
    const head = decodeJson(parts.head) ?? {};
    const credit = head["credit"];
    if (typeof credit !== "number" || !Number.isInteger(credit) || credit < 0 || credit > 2 ** 31)
      throw broken("opened a stream without credit");
    if (streams.size >= maxStreams) {
      // Without a body, which could wait for credit and would be one more stream.
      output.control(encodeJsonFrame(frameTypes.head, id, { status: 429, headers: { "retry-after": "1" } }));
      output.control(encodeFrame(frameTypes.end, id));
      return;
    }
    streams.set(
      id,
      createProxyStream(id, credit, (signal) => respondTo(options, head, parts.body, signal), output),
    );
  };

  const receive = (message: Uint8Array): void => {
    const frame = decodeFrame(message);
    switch (frame?.type) {
      case frameTypes.open:
        open(frame);
        return;
      case frameTypes.credit: {
        const bytes = decodeNumber(frame.payload);
        if (bytes === undefined || streams.get(frame.stream)?.credit(bytes) === false) throw broken("granted bytes");
        return;
      }
      case frameTypes.cancel:
        streams.get(frame.stream)?.cancel();
        streams.delete(frame.stream);
        return;
      case frameTypes.ping:
        output.pong();
        return;
      default:
        throw broken("sent a frame");
    }
  };

  return {
    protocol: muxProtocol,
    messages: messagesOf(output.next, finish),
    async send(message) {
      if (ended) return;
      try {
        receive(message);
      } catch (error) {
        finish();
        throw error;
      }
      // The page's frames wait while it doesn't read the answers.
      await output.room();
    },
    close() {
      finish();
      return Promise.resolve();
    },
  };
}

/** Frames on their way to the page. */
interface Output extends StreamOutput {
  /** Queues a pong; one answers all pings before it. */
  pong(): void;
  /** Takes the next frame. */
  next(): Promise<IteratorResult<Uint8Array>>;
  /** Resolves when few enough frames wait. */
  room(): Promise<void>;
  /** Ends the output after the queued frames. */
  end(): void;
}

function createOutput(over: StreamOutput["over"]): Output {
  const control = new Fifo<Uint8Array>();
  const ready = new Fifo<ProxyStream>();
  let pongDue = false;
  let ended = false;
  let reader: ((result: IteratorResult<Uint8Array>) => void) | undefined;
  let roomWaiters: (() => void)[] = [];

  const releaseRoom = (): void => {
    const waiters = roomWaiters;
    roomWaiters = [];
    for (const resolve of waiters) resolve();
  };
  /** Returns the next frame for the page. Streams with data take turns. */
  const nextFrame = (): Uint8Array | undefined => {
    if (pongDue) {
      pongDue = false;
      return encodeFrame(frameTypes.pong, 0);
    }
    const frame = control.shift();
    if (frame !== undefined) {
      if (control.length <= maxWaitingFrames / 2) releaseRoom();
      return frame;
    }
    for (let stream = ready.shift(); stream !== undefined; stream = ready.shift()) {
      if (!stream.sendable) continue;
      const data = stream.take();
      if (stream.sendable) ready.push(stream);
      return data;
    }
    return undefined;
  };
  const wake = (): void => {
    if (reader === undefined) return;
    const frame = nextFrame();
    if (frame === undefined && !ended) return;
    const resolve = reader;
    reader = undefined;
    resolve(frame === undefined ? { done: true, value: undefined } : { done: false, value: frame });
  };
  return {
    over,
    control(frame) {
      control.push(frame);
      wake();
    },
    ready(stream) {
      ready.push(stream);
      wake();
    },
    pong() {
      pongDue = true;
      wake();
    },
    next: () =>
      new Promise((resolve) => {
        reader = resolve;
        wake();
      }),
    room: () =>
      control.length <= maxWaitingFrames || ended
        ? Promise.resolve()
        : new Promise<void>((resolve) => roomWaiters.push(resolve)),
    end() {
      ended = true;
      wake();
      releaseRoom();
    },
  };
}

function messagesOf(
  next: () => Promise<IteratorResult<Uint8Array>>,
  leave: () => void,
): AsyncIterableIterator<Uint8Array> {
  const messages: AsyncIterableIterator<Uint8Array> = {
    next,
    return() {
      leave();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]: () => messages,
  };
  return messages;
}

function broken(what: string): ProtocolError {
  return new ProtocolError(`multiplexed connection: the page ${what} against the protocol`);
}

/** Answers the request of a stream. */
async function respondTo(
  { request, prefix, handle, bodyBytes }: MuxSessionOptions,
  head: Readonly<Record<string, unknown>>,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<Response> {
  const { cluster, method, path, headers } = head;
  const refuse = (code: number, message: string): Response => statusResponse(code, message, {});
  if (body.length > bodyBytes) return refuse(413, `the request body is longer than ${bodyBytes} bytes`);
  if (typeof cluster !== "string" || typeof method !== "string" || typeof path !== "string" || !isPlainPath(path))
    return refuse(400, "the stream names no cluster, method or path");
  let single: Request;
  try {
    single = new Request(`${new URL(request.url).origin}${prefix}${encodeURIComponent(cluster)}${path}`, {
      method,
      headers: streamHeaders(request, typeof headers === "object" && headers !== null ? { ...headers } : {}),
      ...(body.length > 0 && { body: body as Uint8Array<ArrayBuffer> }),
      signal,
    });
  } catch {
    return refuse(400, "the stream's method, path or headers are invalid");
  }
  return handle(single);
}
