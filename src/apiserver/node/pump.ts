import type { ServerResponse as NodeResponse } from "node:http";
import { systemClock } from "../../internal/clock.js";
import type { BodyStream } from "../http/http.js";

/** Longest time that a piece is held back, in milliseconds. */
const LONGEST_WAIT_MS = 10;

let flush: Promise<void> | undefined;
let flushEndedAt = 0;
let flushTookMs = 0;

/**
 * Resolves, for all streams that ask meanwhile, when they are to write: at the end of this turn of the event loop, but not before as much time
 * has passed since the last time as the writing took then. So telling many watches takes half of the time at most, and those of them that fall
 * behind get several events in one piece; where few watch, the wait is none.
 */
function nextFlush(): Promise<void> {
  flush ??= new Promise((resolve) => {
    const go = (): void => {
      const started = performance.now();
      // All who wait asked before this, so they have written when this is called.
      void flush?.then(() => {
        flushEndedAt = performance.now();
        flushTookMs = Math.min(flushEndedAt - started, LONGEST_WAIT_MS);
      });
      flush = undefined;
      resolve();
    };
    const waitMs = flushEndedAt + flushTookMs - performance.now();
    systemClock.setTimer(go, waitMs < 1 ? 0 : waitMs);
  });
  return flush;
}

/** Pieces in the form of HTTP/1.1's chunked encoding: many watches get the very same piece. */
const chunks = new WeakMap<Uint8Array, Uint8Array>();

function chunkOf(piece: Uint8Array): Uint8Array {
  let chunk = chunks.get(piece);
  if (chunk === undefined) {
    chunk = Buffer.concat([
      Buffer.from(`${piece.length.toString(16)}\r\n`, "latin1"),
      piece,
      Buffer.from("\r\n", "latin1"),
    ]);
    chunks.set(piece, chunk);
  }
  return chunk;
}

/** Bytes up to which copying a piece costs less than writing its frame by itself. */
const SMALL = 16 * 1024;

/**
 * Writes one piece; answers with what has to drain before the next one, if anything. Where the connection is the answer's alone, a small piece
 * goes out as one chunk that was put together once for all who get it: that costs a fraction of four writes for each of them.
 */
function writePiece(response: NodeResponse, piece: Uint8Array): NodeJS.EventEmitter | undefined {
  if (response.chunkedEncoding && piece.length <= SMALL && piece.length > 0 && response.socket !== null)
    return response.socket.write(chunkOf(piece)) ? undefined : response.socket;
  return response.write(piece) ? undefined : response;
}

/** Writes a stream piece by piece: the next one is asked for when the connection has room. */
export async function pump(response: NodeResponse, body: BodyStream, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { done, value } = await body.next();
    if (done === true || signal.aborted) break;
    // Whoever made the change that many are told of has the answer before them.
    if (value.length <= SMALL) await nextFlush();
    if (signal.aborted) break;
    const full = writePiece(response, value);
    if (full !== undefined) {
      await new Promise<void>((resolve) => {
        const go = (): void => {
          full.off("drain", go);
          signal.removeEventListener("abort", go);
          resolve();
        };
        full.on("drain", go);
        signal.addEventListener("abort", go);
        if (signal.aborted) go();
      });
    }
  }
  if (!signal.aborted) response.end();
}
