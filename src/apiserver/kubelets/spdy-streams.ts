import { concatBytes, utf8Encode } from "../../internal/bytes.js";
import { systemClock } from "../../internal/clock.js";
import { createByteChannel } from "../../internal/streams/byte-channel.js";
import type { Inflate, SocketHandler, SocketPeer } from "../http/http.js";
import type { ContainerSession } from "./kubelet.js";
import { inputBytes, runPort, runSession, type ServePort, type ServeSession, type SessionStreams } from "./session.js";
import { createSpdyConnection, type SpdyStream } from "./spdy-connection.js";
import { createTerminalSizes, maxSizeBytes, type TerminalSizes } from "./terminal-sizes.js";

/** Connection of a client that speaks SPDY. */
export interface SpdyClient {
  readonly peer: SocketPeer;
  readonly inflate: Inflate;
  /** Aborts when the request ends. */
  readonly signal: AbortSignal;
}

/** Time in milliseconds that a client has to open the streams of a session, like with a kubelet. */
const openWithinMs = 30_000;

/** Serves exec or attach over SPDY: the session starts when the client has opened a stream for each of its parts. */
export function sessionOverSpdy(
  { peer, inflate, signal }: SpdyClient,
  serve: ServeSession,
  { stdin, stdout, stderr, tty }: SessionStreams,
): SocketHandler {
  const wanted = new Set(
    Object.entries({ error: true, stdin, stdout, stderr, resize: tty }).flatMap(([name, is]) => (is ? [name] : [])),
  );
  const streams = new Map<string, SpdyStream>();
  const gone = new AbortController();
  const opening = systemClock.setTimer(() => connection.close(), openWithinMs);
  const run = async (): Promise<void> => {
    opening.cancel();
    const sizes = createTerminalSizes();
    const resize = streams.get("resize");
    if (resize !== undefined) void readSizes(resize, sizes);
    const noInput = createByteChannel(inputBytes);
    noInput.end();
    const session: ContainerSession = {
      stdin: streams.get("stdin")?.input ?? noInput.bytes,
      write: (name, data) => streams.get(name)?.write(data) ?? Promise.resolve(),
      onResize: (callback) => sizes.onResize(callback),
      signal: AbortSignal.any([gone.signal, signal]),
    };
    const status = await runSession(serve, session);
    // Doesn't wait for a client that may not read: the connection ends when it has read all, or after a time.
    void streams.get("error")!.write(utf8Encode(JSON.stringify(status)));
    for (const stream of streams.values()) stream.end();
    connection.close();
  };
  const connection = createSpdyConnection({
    peer,
    inflate,
    accept(stream) {
      const type = stream.headers.get("streamtype") ?? "";
      if (!wanted.has(type) || streams.has(type)) return false;
      streams.set(type, stream);
      // The reply to the last stream is sent before its first data.
      if (streams.size === wanted.size) queueMicrotask(() => void run());
      return true;
    },
    closed() {
      opening.cancel();
      gone.abort(new Error("the client is gone"));
    },
  });
  return connection;
}

/** Reads the sizes of a terminal, which are objects in JSON one after the other. */
async function readSizes({ input }: SpdyStream, sizes: TerminalSizes): Promise<void> {
  let held: Uint8Array = new Uint8Array();
  for await (const chunk of input) {
    held = concatBytes([held, chunk]);
    for (let end = held.indexOf(closingBrace); end >= 0; end = held.indexOf(closingBrace)) {
      sizes.receive(held.subarray(0, end + 1));
      held = held.subarray(end + 1);
    }
    if (held.length > maxSizeBytes) held = new Uint8Array();
  }
}

const closingBrace = 0x7d;

/** Number of streams without a partner from which on those that were reset are forgotten: twice those that can be open. */
const mostWaiting = 2_000;

function forgetReset(waiting: Map<string, SpdyStream>): void {
  for (const [pair, { signal }] of waiting) if (signal.aborted) waiting.delete(pair);
}

/** Serves ports over SPDY: each connection to a port is a pair of streams, one for data and one for errors. */
export function portsOverSpdy(
  { peer, inflate, signal }: SpdyClient,
  findPort: (port: number) => ServePort,
): SocketHandler {
  const waiting = new Map<string, SpdyStream>();
  const run = async (port: number, data: SpdyStream, errors: SpdyStream): Promise<void> => {
    const problem = await runPort(findPort(port), {
      input: data.input,
      write: (payload) => data.write(payload),
      signal: AbortSignal.any([data.signal, signal]),
    });
    if (problem === undefined) {
      data.end();
      errors.end();
      return;
    }
    await errors.write(utf8Encode(`error forwarding port ${port}: ${problem}`));
    errors.end();
    data.reset();
  };
  return createSpdyConnection({
    peer,
    inflate,
    accept(stream) {
      const { headers, id } = stream;
      const type = headers.get("streamtype");
      const port = headers.get("port") ?? "";
      if ((type !== "data" && type !== "error") || !isPort(port)) return false;
      // Old clients don't name the pair. Their data streams come right after those for errors.
      const pair = headers.get("requestid") ?? String(type === "error" ? id : id - 2);
      const other = waiting.get(pair);
      if (other === undefined || other.signal.aborted) {
        if (waiting.size >= mostWaiting) forgetReset(waiting);
        waiting.set(pair, stream);
      } else if (other.headers.get("streamtype") === type) return false;
      else {
        waiting.delete(pair);
        const [data, errors] = type === "data" ? [stream, other] : [other, stream];
        queueMicrotask(() => void run(Number(port), data, errors));
      }
      return true;
    },
    closed: () => waiting.clear(),
  });
}

/** Returns true for the number of a port. */
export function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}
