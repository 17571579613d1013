import { ProtocolError } from "../../errors/errors.js";
import { isUtf8, utf8Slice, utf8SliceStrict } from "../../internal/text.js";
import { jsonError, MAX_JSON_DEPTH } from "./locate-error.js";

/** Parses one JSON document. Throws a `ProtocolError` with the offset; `base` is the offset of `start` in the whole stream. */
export function parseJson(bytes: Uint8Array, start: number, end: number, what: string, base = 0): unknown {
  const value = tryParseJson(bytes, start, end);
  if (value === undefined) throw jsonError(bytes, start, end, what, base);
  return value;
}

/** Parses one JSON object. Throws a `ProtocolError` also for a document that is no object. */
export function parseJsonObject(
  bytes: Uint8Array,
  start: number,
  end: number,
  what: string,
  base = 0,
): Record<string, unknown> {
  const value = parseJson(bytes, start, end, what, base);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ProtocolError(`decode ${what} as JSON: not an object at byte ${String(base)}`, { offset: base });
  }
  return value as Record<string, unknown>;
}

/** Parses one JSON document; `undefined` for bytes that are none. */
export function tryParseJson(bytes: Uint8Array, start: number, end: number): unknown {
  const text = utf8Slice(bytes, start, end);
  if (text.includes("\uFFFD") && !isUtf8(bytes, start, end)) return undefined;
  if (nestsTooDeep(bytes, start, end)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const DESK = 64 * 1024;

/** Where bytes get a brace: a text joined from two is copied once more, and both lie in V8's heap. */
let desk: Uint8Array | undefined;

/** Text of the bytes with an opening brace before or a closing one behind them, `undefined` if they are not UTF-8. */
export function withBrace(bytes: Uint8Array, start: number, end: number, brace: "{" | "}"): string | undefined {
  const length = end - start;
  if (length >= DESK) {
    const text = utf8SliceStrict(bytes, start, end);
    return text === undefined ? undefined : brace === "{" ? `{${text}` : `${text}}`;
  }
  desk ??= new Uint8Array(DESK);
  desk.set(bytes.subarray(start, end), brace === "{" ? 1 : 0);
  desk[brace === "{" ? 0 : length] = brace.charCodeAt(0);
  return utf8SliceStrict(desk, 0, length + 1);
}

/** Whether brackets outside strings open too often; short bytes cannot. */
export function nestsTooDeep(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start <= MAX_JSON_DEPTH) return false;
  let depth = 0;
  for (let p = start; p < end; p++) {
    const c = bytes[p]!;
    if (c === 0x22) {
      for (p++; p < end && bytes[p] !== 0x22; p++) if (bytes[p] === 0x5c) p++;
    } else if (c === 0x7b || c === 0x5b) {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if (c === 0x7d || c === 0x5d) depth--;
  }
  return false;
}
