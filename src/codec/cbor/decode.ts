import { ProtocolError } from "../../errors/errors.js";
import { base64Slice } from "../../internal/base64.js";
import { setOwn } from "../../internal/set-own.js";
import { utf8SliceStrict } from "../../internal/text.js";
import { internedSlice } from "../intern.js";

/** Maximum nesting depth. kube-apiserver accepts 64 levels. */
const maxDepth = 512;

/** Base encoding of byte strings in JSON: text, or as set by the tags 21 to 23. */
type Form = 0 | 21 | 22 | 23;

let bytes: Uint8Array = new Uint8Array(0);
let position = 0;
let limit = 0;
let origin = 0;
let depth = 0;
/** Items that open lists and maps announced and that have not been read: each takes at least one of the bytes left. */
let owed = 0;

/** True if the current decoding failed because bytes are missing. */
let ranOut = false;

/**
 * Decodes one CBOR item that fills the bytes from `start` to `end`, by the rules of Kubernetes. Byte strings are text,
 * keys may be strings of either type, and tags 21 to 23 select the base encoding of byte strings. Throws a
 * `ProtocolError` for values that JSON can't represent. `base` is the offset in the stream of the array's first byte.
 */
export function decodeCbor(source: Uint8Array, start: number, end: number, base = 0): unknown {
  begin(source, start, end, base);
  const value = item(0);
  if (position !== limit) fail("bytes after the end", position);
  return value;
}

/** Offset after the item that `tryDecodeCbor` decoded. */
export let decodedEnd = 0;

/** Decodes the item at `start` and sets `decodedEnd`. Returns `undefined` if the item is incomplete. */
export function tryDecodeCbor(source: Uint8Array, start: number, end: number, base: number): unknown {
  begin(source, start, end, base);
  try {
    const value = item(0);
    decodedEnd = position;
    return value;
  } catch (error) {
    if (ranOut) return undefined;
    throw error;
  }
}

function begin(source: Uint8Array, start: number, end: number, base: number): void {
  bytes = source;
  position = start;
  limit = end;
  origin = base;
  depth = 0;
  owed = 0;
  ranOut = false;
}

/** Fails because bytes are missing, which may still arrive. */
function failShort(problem: string, offset: number): never {
  ranOut = true;
  fail(problem, offset);
}

function fail(problem: string, offset: number): never {
  throw new ProtocolError(`decode CBOR: ${problem} at byte ${String(origin + offset)}`, { offset: origin + offset });
}

function next(): number {
  if (position >= limit) failShort("unexpected end", position);
  return bytes[position++]!;
}

/** Reads the argument of a head, at most 2^64, rounded like `JSON.parse` does. */
function argument(info: number): number {
  if (info < 24) return info;
  const size = info === 24 ? 1 : info === 25 ? 2 : info === 26 ? 4 : info === 27 ? 8 : 0;
  if (size === 0) fail("malformed head", position - 1);
  if (position + size > limit) failShort("unexpected end", position);
  let value = 0;
  for (let i = 0; i < size; i++) value = value * 256 + bytes[position++]!;
  return value;
}

/** Reads a 64-bit integer argument, which must fit into an int64. */
function integer(info: number): number {
  const at = position - 1;
  if (info !== 27) return argument(info);
  if (position + 8 > limit) failShort("unexpected end", position);
  if (bytes[position]! > 127) fail("integer out of range", at);
  const upper = argument(26);
  return upper * 4294967296 + argument(26);
}

function item(form: Form): unknown {
  const at = position;
  const head = next();
  const info = head & 31;
  switch (head >> 5) {
    case 0:
      return integer(info);
    case 1:
      return -1 - integer(info);
    case 2:
      return byteString(info, form, at);
    case 3:
      return textString(info, at);
    case 4:
      return list(info, form, at);
    case 5:
      return map(info, form, at);
    case 6:
      return tagged(argument(info), form, at);
    default:
      return simple(info, at);
  }
}

function byteString(info: number, form: Form, at: number): string {
  if (info === 31) return joined(2, form, at);
  const length = stringLength(info, at);
  const start = position;
  position += length;
  return form === 0 ? text(start, position) : bytesAsText(bytes, start, position, form);
}

function textString(info: number, at: number): string {
  if (info === 31) return joined(3, 0, at);
  const length = stringLength(info, at);
  const start = position;
  position += length;
  return text(start, position);
}

function stringLength(info: number, at: number): number {
  const length = argument(info);
  if (length > limit - position) failShort("string beyond the end", at);
  return length;
}

function text(start: number, end: number): string {
  return internedSlice(bytes, start, end) ?? fail("invalid UTF-8", start);
}

function bytesAsText(source: Uint8Array, start: number, end: number, form: Form): string {
  if (form === 22) return base64Slice(source, start, end);
  if (form === 21)
    return base64Slice(source, start, end)
      .replace(/\+/g, "-")
      .replace(/\//g, "_")
      .replace(/={1,2}$/, "");
  let hex = "";
  for (let p = start; p < end; p++) hex += source[p]!.toString(16).padStart(2, "0");
  return hex;
}

/** Reads a string of indefinite length: chunks of the same type, each of definite length. */
function joined(major: number, form: Form, at: number): string {
  const pieces: number[] = [];
  for (;;) {
    const head = next();
    if (head === 0xff) break;
    if (head >> 5 !== major || (head & 31) === 31) fail("malformed string of indefinite length", at);
    const length = stringLength(head & 31, at);
    for (let i = 0; i < length; i++) pieces.push(bytes[position++]!);
  }
  const whole = Uint8Array.from(pieces);
  if (form !== 0) return bytesAsText(whole, 0, whole.length, form);
  return utf8SliceStrict(whole, 0, whole.length) ?? fail("invalid UTF-8", at);
}

function list(info: number, form: Form, at: number): unknown[] {
  if (++depth > maxDepth) fail("nested too deeply", at);
  let values: unknown[];
  if (info === 31) {
    values = [];
    while (peek() !== 0xff) values.push(item(form));
    position++;
  } else {
    const count = argument(info);
    announce(count, "list beyond the end", at);
    values = new Array<unknown>(count);
    for (let i = 0; i < count; i++) {
      owed--;
      values[i] = item(form);
    }
  }
  depth--;
  return values;
}

/** Charges announced items against the bytes left, so that nested lengths can't allocate more than was sent. */
function announce(count: number, problem: string, at: number): void {
  if (count > limit - position - owed) failShort(problem, at);
  owed += count;
}

function peek(): number {
  if (position >= limit) failShort("unexpected end", position);
  return bytes[position]!;
}

function map(info: number, form: Form, at: number): Record<string, unknown> {
  if (++depth > maxDepth) fail("nested too deeply", at);
  const object: Record<string, unknown> = {};
  const count = info === 31 ? Infinity : argument(info);
  if (count !== Infinity) announce(2 * count, "map beyond the end", at);
  let added = 0;
  while (added < count) {
    const keyAt = position;
    const head = peek();
    if (count === Infinity && head === 0xff) {
      position++;
      break;
    }
    const major = head >> 5;
    if (major !== 2 && major !== 3) fail("key that isn't a string", keyAt);
    if (count !== Infinity) owed -= 2;
    position++;
    const key = major === 2 ? byteString(head & 31, 0, keyAt) : textString(head & 31, keyAt);
    if (Object.hasOwn(object, key)) fail("duplicate key", keyAt);
    const value = item(form);
    setOwn(object, key, value);
    added++;
  }
  depth--;
  return object;
}

function tagged(tag: number, form: Form, at: number): unknown {
  if (++depth > maxDepth) fail("nested too deeply", at);
  let value: unknown;
  if (tag === 0) value = timeText(at);
  else if (tag === 1) value = epochTime(at);
  else if (tag === 2 || tag === 3) fail("big number", at);
  else value = item(tag === 21 || tag === 22 || tag === 23 ? tag : form);
  depth--;
  return value;
}

function timeText(at: number): string {
  if (peek() >> 5 !== 3) fail("time that isn't text", at);
  const value = item(0) as string;
  if (
    !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value) ||
    Number.isNaN(Date.parse(value.replace(/\.\d+/, "")))
  )
    fail("malformed time", at);
  return value;
}

/** Formats seconds since 1970 as RFC 3339, with a fraction if there is one. */
function epochTime(at: number): string {
  const seconds = item(0);
  if (typeof seconds !== "number" || Math.abs(seconds) > 253402300799) fail("malformed time", at);
  const whole = Math.floor(seconds);
  const stamp = new Date(whole * 1000).toISOString();
  if (!/^\d{4}-/.test(stamp)) fail("time out of range", at);
  // Truncated like in Go: rounding could reach a whole second.
  const fraction = Math.trunc((seconds - whole) * 1e9);
  return `${stamp.slice(0, 19)}${
    fraction === 0
      ? ""
      : `.${String(fraction)
          .padStart(9, "0")
          .replace(/0{1,9}$/, "")}`
  }Z`;
}

const view = new DataView(new ArrayBuffer(8));

function simple(info: number, at: number): unknown {
  switch (info) {
    case 20:
      return false;
    case 21:
      return true;
    case 22:
      return null;
    case 25:
    case 26:
    case 27:
      return float(info, at);
    default:
      return fail("value that JSON cannot carry", at);
  }
}

function float(info: number, at: number): number {
  const size = info === 25 ? 2 : info === 26 ? 4 : 8;
  if (position + size > limit) failShort("unexpected end", position);
  for (let i = 0; i < size; i++) view.setUint8(i, bytes[position++]!);
  const value = size === 2 ? halfFloat(view.getUint16(0)) : size === 4 ? view.getFloat32(0) : view.getFloat64(0);
  return Number.isFinite(value) ? value : fail("number that JSON cannot carry", at);
}

function halfFloat(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
