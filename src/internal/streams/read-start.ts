import { concatBytes } from "../bytes.js";
import type { Clock } from "../clock.js";

/** Limits for `readStart`. */
export interface ReadLimits {
  /** Maximum number of bytes. */
  readonly bytes: number;
  /** Maximum time in milliseconds, because a body may arrive slowly. */
  readonly ms: number;
  /** Clock for the time limit. */
  readonly clock: Clock;
}

/** Reads the beginning of a body, up to the limits, and cancels the rest. */
export async function readStart(body: AsyncIterable<Uint8Array>, limits: ReadLimits): Promise<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let left = limits.bytes;
  let expire!: () => void;
  const expired = new Promise<undefined>((resolve) => (expire = () => resolve(undefined)));
  const timer = limits.clock.setTimer(() => expire(), limits.ms);
  try {
    for (;;) {
      const reading = iterator.next();
      // After the time limit, no one awaits the read.
      reading.catch(() => undefined);
      const result = await Promise.race([reading, expired]);
      if (result?.done === true) break;
      if (result !== undefined) {
        chunks.push(result.value.length > left ? result.value.subarray(0, left) : result.value);
        left -= result.value.length;
        if (left >= 0) continue;
      }
      void iterator.return?.().then(undefined, () => undefined);
      break;
    }
  } finally {
    timer.cancel();
  }
  return concatBytes(chunks);
}

/** Reads an unneeded body to its end, so that its connection can be reused. Cancels one that is long or slow. */
export async function discardBody(body: AsyncIterable<Uint8Array>, clock: Clock): Promise<void> {
  try {
    await readStart(body, { bytes: 64 * 1024, ms: 2_000, clock });
  } catch {
    // The body isn't needed, so its failure doesn't matter.
  }
}
