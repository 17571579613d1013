const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** UTF-8 bytes of a text. */
export function utf8Encode(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Text of UTF-8 bytes; what is not UTF-8 becomes U+FFFD. */
export function utf8Decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** A copy of the bytes from `start` to `end` in an array of its own. Not `slice`, which gives a view of the same memory where the bytes are a `Buffer`. */
export function copyBytes(bytes: Uint8Array, start = 0, end: number = bytes.length): Uint8Array {
  return new Uint8Array(bytes.subarray(start, end));
}

/** One array of all chunks. */
export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
