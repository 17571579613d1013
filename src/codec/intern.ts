import { asciiSlice, utf8SliceStrict } from "../internal/text.js";

/** Maximum length in bytes of a string to look up. */
const maxLength = 80;

/** Number of cached strings; a power of two. */
const slotCount = 16384;

/** Arrays longer than a chunk of a stream are released after the current task. */
const maxKept = 1 << 17;

/** Cached strings by a hash of some of their bytes, and those bytes, `maxLength` per slot. */
const table: string[] = new Array<string>(slotCount).fill("");
let known: DataView | undefined;

/** Array of the last string, a view of its whole buffer for four-byte reads, and the array's offset in the buffer. */
let lastBytes: Uint8Array | undefined;
let lastView: DataView | undefined;
let lastOffset = 0;

/**
 * Decodes the UTF-8 bytes from `start` to `end` and returns the cached string for equal bytes. Names, labels and images
 * repeat in every object of a list, so most of its strings cost no memory. An entry is compared byte for byte before
 * use, and only ASCII strings are cached. Returns `undefined` for invalid UTF-8.
 */
export function internedSlice(bytes: Uint8Array, start: number, end: number): string | undefined {
  const length = end - start;
  if (length === 0) return "";
  if (length > maxLength) return utf8SliceStrict(bytes, start, end);
  const view = bytes === lastBytes ? lastView! : viewOf(bytes);
  const from = lastOffset + start;
  const pool = (known ??= new DataView(new ArrayBuffer(slotCount * maxLength)));
  let slot: number;
  if (length < 4) {
    slot =
      Math.imul(
        bytes[start]! | (bytes[start + (length >> 1)]! << 8) | (bytes[end - 1]! << 16) | (length << 24),
        0x9e3779b1,
      ) >>> 18;
    const text = table[slot]!;
    if (text.length === length) {
      let i = 0;
      while (i < length && text.charCodeAt(i) === bytes[start + i]) i++;
      if (i === length) return text;
    }
  } else {
    const last = from + length - 4;
    const first = view.getInt32(from, true);
    const final = view.getInt32(last, true);
    const mixed =
      Math.imul(first ^ length, 0x9e3779b1) ^
      Math.imul(final, 0x85ebca6b) ^
      Math.imul(view.getInt32(from + ((length - 4) >> 1), true), 0xc2b2ae35);
    slot = Math.imul(mixed ^ (mixed >>> 13), 0x9e3779b1) >>> 18;
    const text = table[slot]!;
    if (text.length === length) {
      let p = from;
      let q = slot * maxLength;
      while (p < last && pool.getInt32(q, true) === view.getInt32(p, true)) {
        p += 4;
        q += 4;
      }
      if (p >= last && pool.getInt32(q + last - p, true) === final) return text;
    }
  }
  if (!remember(view, from, length, pool, slot * maxLength)) {
    // The slot is now partly overwritten.
    table[slot] = "";
    return utf8SliceStrict(bytes, start, end);
  }
  return (table[slot] = asciiSlice(bytes, start, end));
}

/** Copies the bytes of a string to the cache. Returns true if all of them are ASCII. */
function remember(view: DataView, from: number, length: number, pool: DataView, at: number): boolean {
  let bits = 0;
  if (length < 4) {
    for (let i = 0; i < length; i++) {
      const byte = view.getUint8(from + i);
      bits |= byte;
      pool.setUint8(at + i, byte);
    }
  } else {
    for (let i = 0; i < length - 4; i += 4) {
      const word = view.getInt32(from + i, true);
      bits |= word;
      pool.setInt32(at + i, word, true);
    }
    const final = view.getInt32(from + length - 4, true);
    bits |= final;
    pool.setInt32(at + length - 4, final, true);
  }
  return (bits & 0x80808080) === 0;
}

function viewOf(bytes: Uint8Array): DataView {
  lastBytes = bytes;
  lastOffset = bytes.byteOffset;
  // The chunks of a body share a buffer.
  if (lastView?.buffer === bytes.buffer) return lastView;
  lastView = new DataView(bytes.buffer);
  if (bytes.buffer.byteLength > maxKept) void Promise.resolve().then(release);
  return lastView;
}

function release(): void {
  lastBytes = lastView = undefined;
}
