import { ProtocolError } from "../errors/errors.js";
import type { Clock, Timer } from "../internal/clock.js";
import type { TransportRequest, TransportResponse, TransportSocket } from "../transport/transport.js";
import { decodeFrame, decodeJson, encodeCredit, encodeFrame, encodeOpen, frameTypes, maxNumber } from "./frames.js";
import { brokenError, createMuxStream, type MuxStream, openHead } from "./mux-stream.js";

/** Options for `createMuxConnection`. */
export interface MuxConnectionOptions {
  /** WebSocket with the protocol of `frames.ts`. */
  readonly socket: TransportSocket;
  /** Source of time. */
  readonly clock: Clock;
  /** Milliseconds of silence after which the proxy must answer a ping. */
  readonly heartbeatMs: number;
  /** Milliseconds that the answer may take. */
  readonly deadlineMs: number;
  /** Called with the first response, which shows that the connection works. */
  readonly onResponse: () => void;
  /** Called once when the connection is gone. */
  readonly onEnd: (error: Error) => void;
}

/** An open connection for any number of requests. */
export interface MuxConnection {
  /** Sends a request to a cluster. */
  send(cluster: string, request: TransportRequest): Promise<TransportResponse>;
  /** Checks at once if the proxy is still there. */
  probe(): void;
  /** Ends all streams with the error, and closes the WebSocket. */
  close(error: Error): Promise<void>;
}

/** Runs the page's side of the protocol over an open WebSocket. */
export function createMuxConnection(options: MuxConnectionOptions): MuxConnection {
  const { socket, onResponse, onEnd } = options;
  const streams = new Map<number, MuxStream>();
  let lastStream = 0;
  let gone: Error | undefined;

  /** The WebSocket reports a failure to the reader of its messages, too. */
  const write = (frame: Uint8Array): void => void socket.send(frame).catch(() => undefined);

  const end = (error: Error): void => {
    if (gone !== undefined) return;
    gone = error;
    heartbeat.stop();
    for (const stream of streams.values()) stream.end(error);
    streams.clear();
    onEnd(error);
  };
  const close = (error: Error): Promise<void> => {
    end(error);
    return socket.close();
  };
  const abandon = (error: Error): void => void close(error).catch(() => undefined);

  const heartbeat = createHeartbeat(
    options,
    () => write(encodeFrame(frameTypes.ping, 0)),
    () => abandon(brokenError(`the proxy sent nothing for ${options.deadlineMs} ms after a ping`)),
  );

  const take = (message: Uint8Array): void => {
    heartbeat.heard();
    const frame = decodeFrame(message);
    if (frame === undefined) throw new ProtocolError("the proxy sent a frame without a head");
    const { type, payload } = frame;
    if (type === frameTypes.pong) return;
    if (type === frameTypes.bye) throw brokenError(failureText(payload, "the proxy ended the connection"));
    // The stream may have been canceled.
    const stream = streams.get(frame.stream);
    if (stream === undefined) return;
    if (type === frameTypes.data) {
      if (!stream.data(payload)) throw new ProtocolError("the proxy sent more bytes than the page granted");
      return;
    }
    if (type === frameTypes.head) {
      const { status, headers } = decodeJson(payload) ?? {};
      if (typeof status !== "number") throw new ProtocolError("the proxy sent a response without a status");
      stream.head(status, headersOf(headers));
      onResponse();
      return;
    }
    if (type !== frameTypes.end && type !== frameTypes.fail)
      throw new ProtocolError(`the proxy sent a frame of the unknown type ${type}`);
    streams.delete(frame.stream);
    stream.end(type === frameTypes.end ? undefined : brokenError(failureText(payload, "the response broke off")));
  };

  const read = async (): Promise<void> => {
    try {
      for await (const message of socket.messages) take(message);
      abandon(brokenError("the proxy closed the connection"));
    } catch (error) {
      abandon(error instanceof Error ? error : new Error(String(error)));
    }
  };
  void read();

  return {
    probe: heartbeat.probe,
    close,
    send(cluster, request) {
      if (gone !== undefined) return Promise.reject(gone);
      if (request.signal.aborted) return Promise.reject(request.signal.reason as Error);
      const head = openHead(cluster, request);
      const id = ++lastStream;
      const stream = createMuxStream(request, {
        credit: (bytes) => write(encodeCredit(id, bytes)),
        cancel() {
          if (streams.delete(id)) write(encodeFrame(frameTypes.cancel, id));
        },
      });
      streams.set(id, stream);
      write(encodeOpen(id, head, request.body));
      // The numbers are used up; the next request opens another connection.
      if (id === maxNumber) abandon(brokenError("the connection has no numbers for streams left"));
      return stream.response;
    },
  };
}

/** Sends a ping after a silence and on demand, and calls `fail` if nothing arrives in time. */
function createHeartbeat(
  { clock, heartbeatMs, deadlineMs }: MuxConnectionOptions,
  ping: () => void,
  fail: () => void,
): { heard(): void; probe(): void; stop(): void } {
  let silent = true;
  let over = false;
  let deadline: Timer | undefined;
  const probe = (): void => {
    if (over || deadline !== undefined) return;
    ping();
    deadline = clock.setTimer(fail, deadlineMs);
  };
  const beat = (): void => {
    if (silent) probe();
    silent = true;
    timer = clock.setTimer(beat, heartbeatMs, { upkeep: true });
  };
  let timer = clock.setTimer(beat, heartbeatMs, { upkeep: true });
  return {
    probe,
    heard() {
      silent = false;
      deadline?.cancel();
      deadline = undefined;
    },
    stop() {
      over = true;
      timer.cancel();
      deadline?.cancel();
    },
  };
}

function headersOf(value: unknown): Headers {
  try {
    return new Headers(value as Record<string, string>);
  } catch {
    throw new ProtocolError("the proxy sent a response with invalid headers");
  }
}

function failureText(payload: Uint8Array, otherwise: string): string {
  const { message } = decodeJson(payload) ?? {};
  return typeof message === "string" ? message : otherwise;
}
