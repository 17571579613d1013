import type { Field } from "./table.js";
import { fail, position, readVarint, skipField } from "./wire.js";

/** Returns the number of further complete values of the field that follow directly. */
export function countRun(bytes: Uint8Array, start: number, limit: number, field: Field): number {
  let count = 0;
  let p = start;
  while (isTag(bytes, p, limit, field)) {
    p += field.tagLength;
    if (p >= limit) break;
    let length = bytes[p++]!;
    if (length > 127) {
      length = readVarint(bytes, p - 1, limit);
      p = position;
    }
    p += length;
    if (p > limit) fail(`length beyond the end of ${field.key}`, p - length);
    count++;
  }
  return count;
}

/** Returns the offset after all values of the field that follow directly. */
export function endOfRun(bytes: Uint8Array, start: number, limit: number, field: Field): number {
  let p = start;
  while (isTag(bytes, p, limit, field)) p = skipField(bytes, p + field.tagLength, limit, 2);
  return p;
}

/** True if the field's tag is at an offset. */
export function isTag(bytes: Uint8Array, p: number, limit: number, field: Field): boolean {
  if (p + field.tagLength > limit) return false;
  const tag = field.tag;
  if (tag < 128) return bytes[p] === tag;
  if (tag < 16384) return bytes[p] === ((tag & 127) | 128) && bytes[p + 1] === tag >>> 7;
  return (
    bytes[p] === ((tag & 127) | 128) && bytes[p + 1] === (((tag >>> 7) & 127) | 128) && bytes[p + 2] === tag >>> 14
  );
}

/** Returns where the bytes of a length-delimited value start. */
export function contentStart(bytes: Uint8Array, p: number, end: number): number {
  if (bytes[p]! < 128) return p + 1;
  readVarint(bytes, p, end);
  return position;
}
