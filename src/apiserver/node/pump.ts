import type { ServerResponse as NodeResponse } from "node:http";
import { systemClock } from "../../internal/clock.js";
import type { BodyStream } from "../http/http.js";

/** Longest time that a chunk is held back, in milliseconds. */
const longestWaitMs = 10;

let flush: Promise<void> | undefined;
let flushEndedAt = 0;
let flushTookMs = 0;

/**
 * Resolves when the streams that wait may write: at the end of this turn of the event loop, but not until as much time
 * has passed since the last flush as that flush took. Notifying many watches therefore takes at most half of the time,
 * and watches that fall behind get several events in one chunk. With few watches the delay is negligible.
 */
function nextFlush(): Promise<void> {
  flush ??= new Promise((resolve) => {
    const go = (): void => {
      const started = performance.now();
      // All waiters called this function earlier, so they have written by the time this callback runs.
      void flush?.then(() => {
        flushEndedAt = performance.now();
        flushTookMs = Math.min(flushEndedAt - started, longestWaitMs);
      });
      flush = undefined;
      resolve();
    };
    const waitMs = flushEndedAt + flushTookMs - performance.now();
    systemClock.setTimer(go, waitMs < 1 ? 0 : waitMs);
  });
  return flush;
}

/** Chunks in HTTP/1.1 chunked encoding, cached because many watches send the very same chunk. */
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

/** Size in bytes up to which copying a chunk is cheaper than writing its frame separately. */
const smallBytes = 16 * 1024;

/**
 * Writes one chunk and returns the emitter that must drain before the next one, if any. When the response owns the
 * connection, a small chunk is framed once and shared by all watches, which costs a fraction of four writes each.
 */
function writePiece(response: NodeResponse, piece: Uint8Array): NodeJS.EventEmitter | undefined {
  if (response.chunkedEncoding && piece.length <= smallBytes && piece.length > 0 && response.socket !== null)
    return response.socket.write(chunkOf(piece)) ? undefined : response.socket;
  return response.write(piece) ? undefined : response;
}

/** Writes a stream chunk by chunk and pulls the next one when the connection has room. */
export async function pump(response: NodeResponse, body: BodyStream, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { done, value } = await body.next();
    if (done === true || signal.aborted) break;
    // Let the response to the write itself go out before the watch events that it causes.
    if (value.length <= smallBytes) await nextFlush();
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
