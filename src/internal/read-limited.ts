import { concatBytes } from "./bytes.js";

/** The body of a platform request, empty where it has none; `undefined` for one longer than `limit` bytes, of which the rest is not read. */
export async function readLimited({ body }: Request, limit: number): Promise<Uint8Array | undefined> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limit) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
  return concatBytes(chunks);
}
