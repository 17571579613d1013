import { ProtocolError } from "../../errors/errors.js";
import { isUtf8, utf8Slice, utf8SliceStrict } from "../../internal/text.js";
import { jsonError, maxJsonDepth } from "./locate-error.js";

/**
 * Parses one JSON document. Throws a `ProtocolError` with the offset. `base` is the offset of `start` in the stream.
 */
export function parseJson(bytes: Uint8Array, start: number, end: number, what: string, base = 0): unknown {
  const value = tryParseJson(bytes, start, end);
  if (value === undefined) throw jsonError(bytes, start, end, what, base);
  return value;
}

/** Parses one JSON object. Throws a `ProtocolError` for any other document. */
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

/** Parses one JSON document. Returns `undefined` if it's invalid. */
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

const scratchSize = 64 * 1024;

/**
 * Scratch buffer for adding a brace. Concatenating strings would copy the text again, and V8's heap would hold both.
 */
let scratch: Uint8Array | undefined;

/** Decodes the bytes with an opening brace in front or a closing one behind. Returns `undefined` for invalid UTF-8. */
export function withBrace(bytes: Uint8Array, start: number, end: number, brace: "{" | "}"): string | undefined {
  const length = end - start;
  if (length >= scratchSize) {
    const text = utf8SliceStrict(bytes, start, end);
    return text === undefined ? undefined : brace === "{" ? `{${text}` : `${text}}`;
  }
  scratch ??= new Uint8Array(scratchSize);
  scratch.set(bytes.subarray(start, end), brace === "{" ? 1 : 0);
  scratch[brace === "{" ? 0 : length] = brace.charCodeAt(0);
  return utf8SliceStrict(scratch, 0, length + 1);
}

/** Returns true if brackets outside of strings are nested too deeply, which short texts can't be. */
export function nestsTooDeep(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start <= maxJsonDepth) return false;
  let depth = 0;
  for (let p = start; p < end; p++) {
    const c = bytes[p]!;
    if (c === 0x22) {
      for (p++; p < end && bytes[p] !== 0x22; p++) if (bytes[p] === 0x5c) p++;
    } else if (c === 0x7b || c === 0x5b) {
      if (++depth > maxJsonDepth) return true;
    } else if (c === 0x7d || c === 0x5d) depth--;
  }
  return false;
}
