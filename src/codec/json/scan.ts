import { utf8Slice } from "../../internal/text.js";

/**
 * Returns the offset after the object or array at `start`, or -1 if it doesn't end before `end`. Inspects only brackets
 * and strings, and gives up at a backslash outside of a string. The parser validates everything in between.
 */
export function skipComposite(bytes: Uint8Array, start: number, end: number): number {
  let depth = 0;
  let p = start;
  while (p < end) {
    const c = bytes[p++]!;
    if (c === 0x22) {
      for (;;) {
        p = nextMark(bytes, p, end);
        if (p >= end) return -1;
        if (bytes[p++] === 0x22) break;
        p++;
      }
    } else if (c > 0x5a) {
      // `[` and `{` differ in one bit, and so do `]` and `}`.
      const bracket = c & 0xdf;
      if (bracket === 0x5b) depth++;
      else if (bracket === 0x5d) {
        if (--depth === 0) return p;
      } else if (c === 0x5c) return -1;
    }
  }
  return -1;
}

/**
 * Returns the offset of the first quote or backslash from `start` on, or `end`. Unrolled to four bytes, because most of
 * a document is inside strings.
 */
function nextMark(bytes: Uint8Array, start: number, end: number): number {
  let p = start;
  for (const safe = end - 4; p < safe; p += 4) {
    let c = bytes[p];
    if (c === 0x22 || c === 0x5c) return p;
    c = bytes[p + 1];
    if (c === 0x22 || c === 0x5c) return p + 1;
    c = bytes[p + 2];
    if (c === 0x22 || c === 0x5c) return p + 2;
    c = bytes[p + 3];
    if (c === 0x22 || c === 0x5c) return p + 3;
  }
  while (p < end && bytes[p] !== 0x22 && bytes[p] !== 0x5c) p++;
  return p;
}

/**
 * Returns the offset after the string whose opening quote is at `start`, or -1 if it doesn't end before `end` or
 * contains an escape or a control character.
 */
export function skipPlainString(bytes: Uint8Array, start: number, end: number): number {
  for (let p = start + 1; p < end; p++) {
    const c = bytes[p]!;
    if (c === 0x22) return p + 1;
    if (c === 0x5c || c < 0x20) return -1;
  }
  return -1;
}

/** Returns the offset after the number, `true`, `false`, `null` or string at `start`, or -1. */
export function skipScalar(bytes: Uint8Array, start: number, end: number): number {
  let p = start;
  if (bytes[p] === 0x22) {
    for (p++; p < end; p++) {
      const c = bytes[p]!;
      if (c === 0x22) return p + 1;
      if (c === 0x5c) p++;
    }
    return -1;
  }
  while (p < end && bytes[p] !== 0x2c && bytes[p] !== 0x7d && bytes[p]! > 0x20) p++;
  return p === start || p >= end ? -1 : p;
}

/** Returns the offset of the first byte from `start` on that isn't white space. */
export function skipSpace(bytes: Uint8Array, start: number, end: number): number {
  let p = start;
  while (p < end && (bytes[p] === 0x20 || bytes[p] === 0x0a || bytes[p] === 0x0d || bytes[p] === 0x09)) p++;
  return p;
}

/** Returns the offset after the last byte before `end` that isn't white space, or `start`. */
export function trimSpaceEnd(bytes: Uint8Array, start: number, end: number): number {
  let p = end;
  while (
    p > start &&
    (bytes[p - 1] === 0x20 || bytes[p - 1] === 0x0a || bytes[p - 1] === 0x0d || bytes[p - 1] === 0x09)
  )
    p--;
  return p;
}

/**
 * Returns true if the valid JSON object from `start` to `end` has two members of that name. `JSON.parse` would return
 * only the last one.
 */
export function hasMemberTwice(bytes: Uint8Array, start: number, end: number, name: string): boolean {
  let found = 0;
  let p = skipSpace(bytes, start, end) + 1;
  for (;;) {
    p = skipSpace(bytes, p, end);
    const keyEnd = bytes[p] === 0x22 ? skipScalar(bytes, p, end) : -1;
    if (keyEnd < 0) return false;
    if (JSON.parse(utf8Slice(bytes, p, keyEnd)) === name && ++found === 2) return true;
    p = skipSpace(bytes, skipSpace(bytes, keyEnd, end) + 1, end);
    p = bytes[p] === 0x7b || bytes[p] === 0x5b ? skipComposite(bytes, p, end) : skipScalar(bytes, p, end);
    if (p < 0) return false;
    p = skipSpace(bytes, p, end) + 1;
  }
}

/** Returns true if the bytes at `start` equal `text`. */
export function startsWithBytes(bytes: Uint8Array, start: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text[i]) return false;
  return true;
}
