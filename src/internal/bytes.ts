const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Encodes text as UTF-8. */
export function utf8Encode(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Decodes UTF-8. Invalid bytes become U+FFFD. */
export function utf8Decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/**
 * Copies the bytes from `start` to `end` into a new array. Don't use `slice`: on a `Buffer` it returns a view of the
 * same memory.
 */
export function copyBytes(bytes: Uint8Array, start = 0, end: number = bytes.length): Uint8Array {
  return new Uint8Array(bytes.subarray(start, end));
}

/** Joins chunks. Returns a single chunk itself, without a copy. */
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
