import { ProtocolError } from "../../errors/errors.js";

/** Offset after the value that `readVarint` or `readInt64` read last. A variable avoids an object per value. */
export let position = 0;

/** Subject of the decoding, for errors. */
let subject = "message";
/** Offset in the stream of the first byte of the array. */
let base = 0;

/** Sets the subject for errors and the array's offset in the stream. */
export function setSubject(what: string, streamOffset: number): void {
  subject = what;
  base = streamOffset;
}

/** Throws a `ProtocolError` for the byte at `offset`. */
export function fail(problem: string, offset: number): never {
  throw new ProtocolError(`decode ${subject} as Protobuf: ${problem} at byte ${String(base + offset)}`, {
    offset: base + offset,
  });
}

/** Reads an unsigned varint of at most 53 bits: a tag or a length. Sets `position`. */
export function readVarint(bytes: Uint8Array, start: number, end: number): number {
  let p = start;
  let value = 0;
  let scale = 1;
  for (;;) {
    if (p >= end) fail("truncated number", start);
    const c = bytes[p++]!;
    value += (c & 127) * scale;
    if (c < 128) break;
    scale *= 128;
    if (scale > 0x2000000000000) fail("number too long", start);
  }
  if (value > Number.MAX_SAFE_INTEGER) fail("number too large", start);
  position = p;
  return value;
}

/** Reads a signed 64-bit varint, rounded to a double like `JSON.parse` does. Sets `position`. */
export function readInt64(bytes: Uint8Array, start: number, end: number): number {
  let p = start;
  let low = 0;
  let middle = 0;
  let high = 0;
  for (let i = 0; ; i++) {
    if (p >= end) fail("truncated number", start);
    if (i === 10) fail("number too long", start);
    const c = bytes[p++]!;
    const bits = c & 127;
    if (i < 4) low |= bits << (7 * i);
    else if (i < 8) middle |= bits << (7 * (i - 4));
    else high |= bits << (7 * (i - 8));
    if (c < 128) break;
  }
  position = p;
  const lower = ((middle << 28) | low) >>> 0;
  const upper = (high << 24) | (middle >>> 4);
  // Skip the sum for small numbers: it would be a double, and V8 would box all numbers of this field.
  if (upper === 0) return lower;
  return upper * 4294967296 + lower;
}

/** Reads a signed 64-bit varint without rounding. Sets `position`. */
export function readBigInt64(bytes: Uint8Array, start: number, end: number): bigint {
  readInt64(bytes, start, end);
  let value = 0n;
  for (let p = position - 1; p >= start; p--) value = (value << 7n) | BigInt(bytes[p]! & 127);
  return BigInt.asIntN(64, value);
}

/** Returns the offset after a field whose tag was read. Rejects groups, which Kubernetes doesn't use. */
export function skipField(bytes: Uint8Array, start: number, end: number, wire: number): number {
  switch (wire) {
    case 0:
      readInt64(bytes, start, end);
      return position;
    case 1:
      if (end - start < 8) fail("truncated field", start);
      return start + 8;
    case 2: {
      const length = readVarint(bytes, start, end);
      if (length > end - position) fail("length beyond the end", start);
      return position + length;
    }
    case 5:
      if (end - start < 4) fail("truncated field", start);
      return start + 4;
    default:
      return fail(`wire type ${String(wire)}`, start);
  }
}

/** True if the magic number of a complete object is at an offset. */
export function startsWithMagic(bytes: Uint8Array, p: number): boolean {
  return bytes[p] === 0x6b && bytes[p + 1] === 0x38 && bytes[p + 2] === 0x73 && bytes[p + 3] === 0;
}
