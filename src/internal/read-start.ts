import { concatBytes } from "./bytes.js";
import type { Clock } from "./clock.js";

/** How much of a body is read. */
export interface ReadLimits {
  /** Bytes. */
  readonly bytes: number;
  /** Milliseconds, for a body may come in drips. */
  readonly ms: number;
  /** Where time comes from. */
  readonly clock: Clock;
}

/** The beginning of a body, as far as the limits allow; what is beyond them is given up. */
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
      // After the time is over nobody hears how it went on.
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

/** Reads a body that nobody wants to its end, so that its connection can be used again; one that is long or slow is given up. */
export async function discardBody(body: AsyncIterable<Uint8Array>, clock: Clock): Promise<void> {
  try {
    await readStart(body, { bytes: 64 * 1024, ms: 2_000, clock });
  } catch {
    // It is thrown away: how it ends does not matter.
  }
}
