import { concatBytes } from "../internal/bytes.js";

/** The whole body. */
export async function readBody(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return concatBytes(chunks);
}

/** The body's first `limit` bytes, and whether there were more; the rest is not read. */
export async function readStart(body: AsyncIterable<Uint8Array>, limit: number): Promise<{ bytes: Uint8Array; whole: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    if (length + chunk.length > limit) {
      chunks.push(chunk.subarray(0, limit - length));
      return { bytes: concatBytes(chunks), whole: false };
    }
    chunks.push(chunk);
    length += chunk.length;
  }
  return { bytes: concatBytes(chunks), whole: true };
}
