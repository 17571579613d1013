import { systemClock } from "../../internal/clock.js";
import type { BodyStream } from "../http/http.js";
import type { Exchange } from "./exchange.js";
import { smallBytes } from "./http1-exchange.js";

/** Longest time that a chunk is held back, in milliseconds. */
const longestWaitMs = 10;
/** Pause after a flush, as a multiple of the time that the flush took. */
const pauseFactor = 4;

let flush: Promise<void> | undefined;
let nextFlushAt = 0;

/**
 * Resolves when the streams that wait may write: at the end of this turn of the event loop, but not before the pause
 * after the last flush is over. Notifying many watches therefore takes at most a fifth of the time, and in a burst of
 * changes watches get several events in one chunk. With few watches the delay is negligible.
 */
function nextFlush(): Promise<void> {
  flush ??= new Promise((resolve) => {
    const go = (): void => {
      const started = performance.now();
      // All waiters called this function earlier, so they have written by the time this callback runs.
      void flush?.then(() => {
        const ended = performance.now();
        nextFlushAt = ended + Math.min(pauseFactor * (ended - started), longestWaitMs);
      });
      flush = undefined;
      resolve();
    };
    const waitMs = nextFlushAt - performance.now();
    systemClock.setTimer(go, waitMs < 1 ? 0 : waitMs);
  });
  return flush;
}

/** Writes a stream chunk by chunk and pulls the next one when the connection has room. */
export async function pump(exchange: Exchange, body: BodyStream, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { done, value } = await body.next();
    if (done === true || signal.aborted) break;
    // Let the response to the write itself go out before the watch events that it causes.
    if (value.length <= smallBytes) await nextFlush();
    if (signal.aborted) break;
    const full = exchange.write(value);
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
  if (!signal.aborted) exchange.end();
}
