import { concatBytes } from "../../internal/bytes.js";

/** Reads a whole body. */
export async function readBody(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return concatBytes(chunks);
}
