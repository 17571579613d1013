import { concatBytes } from "./bytes.js";
import { latin1Slice } from "./latin1.js";
import { pushAll } from "./push-all.js";

/** An element of DER: its tag, its contents, and its whole encoding. */
export interface DerElement {
  readonly tag: number;
  readonly body: Uint8Array;
  readonly bytes: Uint8Array;
}

/** Tags of DER elements. */
export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Splits DER into the elements that follow each other. Throws a `RangeError` if it's malformed. */
export function derElements(bytes: Uint8Array): DerElement[] {
  const found: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at]!;
    let length = bytes[at + 1] ?? 0;
    let start = at + 2;
    if (length > 0x7f) {
      const width = length & 0x7f;
      if (width === 0 || width > 4) throw new RangeError("asn1: structure error: unsupported length");
      length = bytes.subarray(start, start + width).reduce((sum, byte) => sum * 256 + byte, 0);
      start += width;
    }
    if (start + length > bytes.length) throw new RangeError("asn1: syntax error: data truncated");
    found.push({ tag, body: bytes.subarray(start, start + length), bytes: bytes.subarray(at, start + length) });
    at = start + length;
  }
  return found;
}

/** Returns the contents of an element. Throws a `RangeError` if it's missing or has another tag. */
export function derBody(element: DerElement | undefined, tag: number): Uint8Array {
  if (element?.tag !== tag) throw new RangeError("asn1: structure error: unexpected tag");
  return element.body;
}

/** Encodes an element. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const body = concatBytes(parts);
  const length: number[] = [];
  if (body.length < 128) length.push(body.length);
  else {
    for (let rest = body.length; rest > 0; rest = Math.floor(rest / 256)) length.unshift(rest % 256);
    length.unshift(128 | length.length);
  }
  return concatBytes([Uint8Array.of(tag, ...length), body]);
}

/** Encodes a non-negative integer, given as bytes. */
export function derInteger(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  const significant = first < 0 ? Uint8Array.of(0) : bytes.subarray(first);
  return significant[0]! > 127 ? der(derTag.integer, Uint8Array.of(0), significant) : der(derTag.integer, significant);
}

/** Encodes an object identifier, given as text such as `2.5.29.15`. */
export function derObjectId(text: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const value of rest) {
    const digits = [value & 127];
    for (let left = value >> 7; left > 0; left >>= 7) digits.unshift(128 | (left & 127));
    pushAll(bytes, digits);
  }
  return der(derTag.objectId, Uint8Array.from(bytes));
}

/** Decodes an object identifier to text. */
export function readObjectId(body: Uint8Array): string {
  const [first = 0, ...rest] = body;
  const numbers = [Math.min(2, Math.floor(first / 40)), first - 40 * Math.min(2, Math.floor(first / 40))];
  let value = 0;
  for (const byte of rest) {
    value = value * 128 + (byte & 127);
    if (byte < 128) {
      numbers.push(value);
      value = 0;
    }
  }
  return numbers.join(".");
}

/** Encodes a time: before 2050 with two digits for the year, as certificates require. */
export function derTime(ms: number): Uint8Array {
  const digits = `${new Date(ms).toISOString().replace(/[-:T]|\.\d+Z/g, "")}Z`;
  const isShort = ms < Date.UTC(2050, 0, 1);
  const text = isShort ? digits.slice(2) : digits;
  return der(
    isShort ? derTag.utcTime : derTag.generalizedTime,
    Uint8Array.from(text, (each) => each.charCodeAt(0)),
  );
}

/** Decodes a time to milliseconds since the epoch. Throws a `RangeError` for another element. */
export function readTime({ tag, body }: DerElement): number {
  const text = latin1Slice(body, 0, Math.min(body.length, 20));
  const digits = tag === derTag.utcTime ? `${Number(text.slice(0, 2)) < 50 ? "20" : "19"}${text}` : text;
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(digits)?.slice(1).map(Number);
  if (parts === undefined) throw new RangeError("asn1: structure error: invalid time");
  const [year = 0, month = 1, ...rest] = parts;
  return Date.UTC(year, month - 1, ...rest);
}

/** Returns the bytes of the first PEM block with a label such as `CERTIFICATE`; `undefined` without one. */
export function readPemBlock(text: string, label: string): Uint8Array<ArrayBuffer> | undefined {
  const begin = `-----BEGIN ${label}-----`;
  const start = text.indexOf(begin);
  const end = text.indexOf(`-----END ${label}-----`, start);
  if (start < 0 || end < 0) return undefined;
  const base64 = text.slice(start + begin.length, end).replace(/\s/g, "");
  return Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
}

/** Formats bytes as a PEM block. */
export function formatPemBlock(bytes: Uint8Array, label: string): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const lines = btoa(binary).match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
