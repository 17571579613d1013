import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import type { Clock, Timer } from "../../internal/clock.js";

/** Code of an RST_STREAM frame: the sender doesn't need the stream any more. */
const cancelCode = 8;
/** Time without a byte from the server after which the client sends a PING, as in client-go. */
const readIdleMs = 30_000;
/** Time that the server has to answer, as in client-go. */
const pingTimeoutMs = 15_000;

/** Checks that the server of a connection is still there. */
export interface LivenessCheck {
  /** Begins to check, when a request starts on an idle connection. */
  begin(): void;
  /** Ends the check, when no request is left. */
  end(): void;
}

/**
 * Returns the HTTP/2 session over a socket, or `undefined` if it can't be found. undici doesn't expose it, but both Node
 * and undici attach it to the socket under a symbol.
 */
export function findHttp2Session(socket: object): ClientHttp2Session | undefined {
  for (const symbol of Object.getOwnPropertySymbols(socket)) {
    const value = (socket as Record<symbol, unknown>)[symbol];
    if (isSession(value)) return value;
  }
  return undefined;
}

function isSession(value: unknown): value is ClientHttp2Session {
  return (
    typeof value === "object" && value !== null && "ping" in value && "remoteSettings" in value && "goaway" in value
  );
}

/**
 * Calls `onEnd` before undici learns that the body of a response has ended, with true if the server reset the stream
 * before its end, with CANCEL or NO_ERROR. Node reports such a stream like a complete one. Call it before the first
 * request of the session.
 */
export function watchStreamEnds(session: ClientHttp2Session, onEnd: (isCut: boolean) => void): void {
  const request = session.request.bind(session);
  session.request = (...parameters): ClientHttp2Stream => {
    const stream = request(...parameters);
    // undici ends a response when either event arrives, and adds its own listeners later.
    stream.on("trailers", () => onEnd(false));
    const isEndedByReset = watchEndOfBody(stream);
    return stream.on("end", () => onEnd(stream.rstCode === cancelCode || isEndedByReset()));
  };
}

/**
 * Returns a function that reports whether the body ended because the stream was closed. Node ends it twice: when the
 * END_STREAM flag arrives, and again when the stream is closed. Bun doesn't distinguish the two, so it reports false.
 */
function watchEndOfBody(stream: ClientHttp2Stream): () => boolean {
  const push = stream.push.bind(stream);
  let endedByReset: boolean | undefined;
  stream.push = (chunk, encoding) => {
    if (chunk === null) endedByReset ??= stream.closed;
    return push(chunk, encoding);
  };
  return () => endedByReset === true;
}

/**
 * Checks a connection while requests run on it: if no byte arrived for 30 seconds, sends a PING, and calls `onDead` if
 * nothing arrives in the next 15 seconds. A peer that disappeared without a FIN would otherwise stay undetected until
 * the kernel gives up, and every new request would join the dead connection.
 */
export function createLivenessCheck(
  session: ClientHttp2Session,
  socket: { readonly bytesRead: number },
  clock: Clock,
  onDead: () => void,
): LivenessCheck {
  let timer: Timer | undefined;
  const wait = (): void => {
    const read = socket.bytesRead;
    timer = clock.setTimer(() => (socket.bytesRead === read ? ping(read) : wait()), readIdleMs, { upkeep: true });
  };
  const ping = (read: number): void => {
    timer = undefined;
    if (session.closed || session.destroyed) return;
    let answered = false;
    session.ping((error) => (answered = error === null));
    timer = clock.setTimer(
      () => {
        if (answered || socket.bytesRead !== read) wait();
        else onDead();
      },
      pingTimeoutMs,
      { upkeep: true },
    );
  };
  return {
    begin() {
      if (timer === undefined) wait();
    },
    end() {
      timer?.cancel();
      timer = undefined;
    },
  };
}
