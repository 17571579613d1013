import { ProtocolError } from "../../errors/errors.js";
import { isUtf8, utf8Slice } from "../../internal/text.js";
import { skipSpace } from "./scan.js";

/** Maximum nesting depth, the same as kube-apiserver's. */
export const maxJsonDepth = 10_000;

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
const cutToken = 12;

/** Returns true if the bytes from `start` to `end` can be the beginning of a valid JSON document. */
export function mayBecomeJson(bytes: Uint8Array, start: number, end: number): boolean {
  const { offset } = locate(bytes, start, end);
  if (offset >= end - cutToken) return true;
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
  /** Closing brackets of the open objects and arrays. */
  const stack: number[] = [];
  /** Problem with the next byte, unless it is a valid one. */
  let problem: "expected a value" | "expected a key" | "expected a colon" | "unexpected byte" = "expected a value";
  let isEmpty = false;
  let p = start;
  for (;;) {
    p = skipSpace(bytes, p, end);
    if (p >= end) return { offset: p, problem: "unexpected end" };
    const c = bytes[p]!;
    const close = stack.at(-1);
    const wasEmpty = isEmpty;
    isEmpty = false;
    if (c === close && (wasEmpty || problem === "unexpected byte")) {
      stack.pop();
      problem = "unexpected byte";
      p++;
    } else if (problem === "unexpected byte") {
      if (c !== 0x2c || close === undefined) break;
      problem = close === 0x7d ? "expected a key" : "expected a value";
      p++;
    } else if (problem === "expected a colon") {
      if (c !== 0x3a) break;
      problem = "expected a value";
      p++;
    } else if (c === 0x22) {
      const next = skipString(bytes, p, end);
      if (next < 0) return { offset: p, problem: "unterminated or malformed string" };
      problem = problem === "expected a key" ? "expected a colon" : "unexpected byte";
      p = next;
    } else if (problem === "expected a key") break;
    else if (c === 0x7b || c === 0x5b) {
      if (stack.push(c + 2) > maxJsonDepth) return { offset: p, problem: "nested too deeply" };
      problem = c === 0x7b ? "expected a key" : "expected a value";
      isEmpty = true;
      p++;
    } else {
      const next = skipLiteral(bytes, p, end);
      if (next < 0) break;
      problem = "unexpected byte";
      p = next;
    }
  }
  return { offset: p, problem };
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

function skipLiteral(bytes: Uint8Array, start: number, end: number): number {
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
