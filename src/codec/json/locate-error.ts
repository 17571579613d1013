import { ProtocolError } from "../../errors/errors.js";
import { isUtf8, utf8Slice } from "../../internal/text.js";

/** Maximum nesting depth, the same as kube-apiserver's. */
export const MAX_JSON_DEPTH = 10_000;

/**
 * Creates the error for bytes that `JSON.parse` rejected. The message contains the position and the problem, and
 * nothing from the bytes.
 */
export function jsonError(bytes: Uint8Array, start: number, end: number, what: string, base = 0): ProtocolError {
  const { offset, problem } = locate(bytes, start, end);
  const at = base + offset - start;
  return new ProtocolError(`decode ${what} as JSON: ${problem} at byte ${String(at)}`, { offset: at });
}

/** Maximum length of a token that may be cut off at the end of the received bytes: a literal or a UTF-8 character. */
const CUT_TOKEN = 12;

/** Returns true if the bytes from `start` to `end` can be the beginning of a valid JSON document. */
export function mayBecomeJson(bytes: Uint8Array, start: number, end: number): boolean {
  const { offset } = locate(bytes, start, end);
  if (offset >= end - CUT_TOKEN) return true;
  return bytes[offset] === 0x22 ? isOpenString(bytes, offset, end) : isOpenScalar(bytes, offset, end);
}

/** An unfinished string is valid so far, unless it contains a line break. */
function isOpenString(bytes: Uint8Array, start: number, end: number): boolean {
  for (let p = start + 1; p < end; p++) {
    const c = bytes[p]!;
    if (c === 0x22 || c < 0x20) return false;
    if (c === 0x5c) p++;
  }
  return true;
}

/** A number can be cut off anywhere. */
function isOpenScalar(bytes: Uint8Array, start: number, end: number): boolean {
  for (let p = start; p < end; p++) if (!/[-+.\w]/.test(String.fromCharCode(bytes[p]!))) return false;
  return true;
}

interface Finding {
  readonly offset: number;
  readonly problem: string;
}

/** Walks the grammar, without building values, up to the first invalid byte. */
function locate(bytes: Uint8Array, start: number, end: number): Finding {
  if (!isUtf8(bytes, start, end)) return { offset: firstBadUtf8(bytes, start, end), problem: "invalid UTF-8" };
  const stack: number[] = [];
  let p = start;
  let expectValue = true;
  let expectKey = false;
  const skipSpace = (): void => {
    while (p < end && (bytes[p] === 0x20 || (bytes[p]! >= 9 && bytes[p]! <= 13 && bytes[p] !== 11 && bytes[p] !== 12)))
      p++;
  };
  for (;;) {
    skipSpace();
    if (p >= end) return { offset: p, problem: stack.length > 0 || expectValue ? "unexpected end" : "unexpected data" };
    const c = bytes[p]!;
    if (expectKey) {
      const close = c === 0x7d && bytes[lastNonSpace(bytes, p)] === 0x7b;
      if (!close) {
        const next = c === 0x22 ? skipString(bytes, p, end) : -1;
        if (next < 0) return { offset: p, problem: c === 0x22 ? "unterminated or malformed string" : "expected a key" };
        p = next;
        skipSpace();
        if (bytes[p] !== 0x3a || p >= end) return { offset: p, problem: "expected a colon" };
        p++;
        expectKey = false;
        expectValue = true;
        continue;
      }
      expectKey = false;
      expectValue = false;
    } else if (expectValue && !(c === 0x5d && bytes[lastNonSpace(bytes, p)] === 0x5b)) {
      if (c === 0x7b || c === 0x5b) {
        stack.push(c);
        if (stack.length > MAX_JSON_DEPTH) return { offset: p, problem: "nested too deeply" };
        expectKey = c === 0x7b;
        expectValue = c === 0x5b;
        p++;
        continue;
      }
      const next = c === 0x22 ? skipString(bytes, p, end) : skipScalar(bytes, p, end);
      if (next < 0) return { offset: p, problem: c === 0x22 ? "unterminated or malformed string" : "expected a value" };
      p = next;
      expectValue = false;
      continue;
    } else expectValue = false;
    const open = stack.at(-1);
    if (c === 0x2c && open !== undefined) {
      expectKey = open === 0x7b;
      expectValue = open === 0x5b;
      p++;
      skipSpace();
      if (bytes[p] === 0x7d || bytes[p] === 0x5d) return { offset: p, problem: "expected a value" };
    } else if (open !== undefined && c === open + 2) {
      stack.pop();
      p++;
    } else return { offset: p, problem: "unexpected byte" };
  }
}

function lastNonSpace(bytes: Uint8Array, p: number): number {
  do p--;
  while (p > 0 && bytes[p]! <= 0x20);
  return p;
}

function skipString(bytes: Uint8Array, start: number, end: number): number {
  for (let p = start + 1; p < end; p++) {
    const c = bytes[p]!;
    if (c === 0x22) return p + 1;
    if (c < 0x20) return -1;
    if (c !== 0x5c) continue;
    const escape = bytes[++p];
    if (escape === 0x75) {
      if (p + 4 >= end || !/^[0-9a-fA-F]{4}$/.test(utf8Slice(bytes, p + 1, p + 5))) return -1;
      p += 4;
    } else if (escape === undefined || !'"\\/bfnrt'.includes(String.fromCharCode(escape))) return -1;
  }
  return -1;
}

function skipScalar(bytes: Uint8Array, start: number, end: number): number {
  let p = start;
  while (p < end && p - start < 400 && /[-+.\w]/.test(String.fromCharCode(bytes[p]!))) p++;
  const text = utf8Slice(bytes, start, p);
  return /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/.test(text) ? p : -1;
}

/** Finds the end of the longest valid UTF-8 prefix with a binary search. */
function firstBadUtf8(bytes: Uint8Array, start: number, end: number): number {
  let good = start;
  let bad = end;
  while (bad - good > 1) {
    let middle = (good + bad) >> 1;
    while (middle > good && (bytes[middle]! & 0xc0) === 0x80) middle--;
    if (middle === good) break;
    if (isUtf8(bytes, start, middle)) good = middle;
    else bad = middle;
  }
  return good;
}
