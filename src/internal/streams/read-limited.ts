import { concatBytes } from "../bytes.js";

/**
 * Reads the body of a Fetch API request or response. Returns an empty array without a body, and `undefined` for one longer than
 * `limit` bytes, which is canceled.
 */
export async function readLimited({ body }: Pick<Request, "body">, limit: number): Promise<Uint8Array | undefined> {
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
