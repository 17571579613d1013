/** Methods of Node's `Buffer` that are faster than the platform's text codecs. */
interface NativeBytes {
  utf8Slice(this: Uint8Array, start: number, end: number): string;
  latin1Slice(this: Uint8Array, start: number, end: number): string;
  indexOf(this: Uint8Array, needle: Uint8Array, from: number): number;
  compare(
    this: Uint8Array,
    other: Uint8Array,
    otherStart: number,
    otherEnd: number,
    start: number,
    end: number,
  ): number;
}

/** The part of Node's `Buffer` used here. */
interface NativeBuffer {
  readonly prototype: NativeBytes;
}

const native = (globalThis as { Buffer?: NativeBuffer }).Buffer?.prototype;
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Decodes the UTF-8 bytes from `start` to `end`. Invalid bytes become U+FFFD. Uses Node's faster routine if it exists.
 */
export const utf8Slice: (bytes: Uint8Array, start: number, end: number) => string =
  typeof native?.utf8Slice === "function"
    ? (bytes, start, end) => native.utf8Slice.call(bytes, start, end)
    : (bytes, start, end) => lenient.decode(bytes.subarray(start, end));

/** Decodes the bytes from `start` to `end`, which must be ASCII. */
export const asciiSlice: (bytes: Uint8Array, start: number, end: number) => string =
  typeof native?.latin1Slice === "function"
    ? (bytes, start, end) => native.latin1Slice.call(bytes, start, end)
    : utf8Slice;

/** Returns true if the bytes from `start` to `end` are valid UTF-8. */
export function isUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  try {
    strict.decode(bytes.subarray(start, end));
    return true;
  } catch {
    return false;
  }
}

/** Decodes the UTF-8 bytes from `start` to `end`. Returns `undefined` if they are invalid. */
export function utf8SliceStrict(bytes: Uint8Array, start: number, end: number): string | undefined {
  const text = utf8Slice(bytes, start, end);
  // Only a text with U+FFFD can contain an invalid byte, and the search is fast in a text of single-byte characters.
  return text.includes("\uFFFD") && !isUtf8(bytes, start, end) ? undefined : text;
}

/** Returns the offset of the first `needle` at or after `from`, or -1. Uses Node's search if it exists. */
export const indexOfBytes: (bytes: Uint8Array, needle: Uint8Array, from: number) => number =
  typeof native?.indexOf === "function"
    ? (bytes, needle, from) => native.indexOf.call(bytes, needle, from)
    : (bytes, needle, from) => {
        const first = needle[0]!;
        for (let p = bytes.indexOf(first, from); p >= 0; p = bytes.indexOf(first, p + 1)) {
          let i = 1;
          while (i < needle.length && bytes[p + i] === needle[i]) i++;
          if (i === needle.length) return p;
        }
        return -1;
      };

/** Returns the offset of the first `byte` between `from` and `end`, or -1. Never reads beyond `end`. */
export function indexOfByte(bytes: Uint8Array, byte: number, from: number, end: number): number {
  return (end === bytes.length ? bytes : bytes.subarray(0, end)).indexOf(byte, from);
}

/** Range of bytes. */
export interface ByteRange {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** Returns true if a range equals the bytes from `start` to `end`. */
export function sameBytes(range: ByteRange, bytes: Uint8Array, start: number, end: number): boolean {
  const { bytes: held, start: from } = range;
  const length = end - start;
  if (range.end - from !== length) return false;
  if (native !== undefined && length > 64) return native.compare.call(held, bytes, start, end, from, range.end) === 0;
  for (let i = 0; i < length; i++) if (held[from + i] !== bytes[start + i]) return false;
  return true;
}
