import { asciiSlice, utf8SliceStrict } from "../internal/text.js";

/** Longest text, in bytes, that is worth looking up. */
const MAX_LENGTH = 80;

/** Texts seen before, by a hash of six of their bytes; a power of two long. */
const table: string[] = new Array<string>(16384).fill("");

/**
 * Text of the UTF-8 bytes from `start` to `end`; the same string for the same bytes as long as the table remembers it.
 * Names, labels, images and the like repeat in every object of a list: most of its strings then cost no memory. An entry
 * is compared byte for byte before it is used, and only one of plain ASCII can compare equal. Answers `undefined` for bytes
 * that are not UTF-8.
 */
export function internedSlice(bytes: Uint8Array, start: number, end: number): string | undefined {
  const length = end - start;
  if (length === 0) return "";
  if (length > MAX_LENGTH) return utf8SliceStrict(bytes, start, end);
  const half = bytes[start + (length >> 1)]! << 8;
  const quarter = bytes[start + (length >> 2)]! << 24;
  const low = Math.imul(bytes[start]! | half | (bytes[end - 1]! << 16) | quarter, 0x9e3779b1);
  const beforeLast = length > 1 ? bytes[end - 2]! << 16 : 0;
  const high = Math.imul(length | (bytes[end - (length >> 2) - 1]! << 8) | beforeLast, 0x85ebca6b);
  const slot = (low ^ high) >>> 18;
  const known = table[slot]!;
  if (known.length === length) {
    let i = 0;
    while (i < length && known.charCodeAt(i) === bytes[start + i]) i++;
    if (i === length) return known;
  }
  let bits = 0;
  for (let p = start; p < end; p++) bits |= bytes[p]!;
  if (bits > 127) return utf8SliceStrict(bytes, start, end);
  return (table[slot] = asciiSlice(bytes, start, end));
}
