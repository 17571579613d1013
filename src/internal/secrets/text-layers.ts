import { utf8Encode } from "../bytes.js";
import { asciiSlice } from "../text.js";

/** Bytes of a text in UTF-8 after some encodings were undone, and the range of the original text behind each byte. */
export interface TextLayer {
  readonly bytes: Uint8Array;
  /** Index of the first character of the original text. */
  readonly starts: Uint32Array;
  /** Index after the last character. */
  readonly ends: Uint32Array;
}

/** Returns the text itself as a layer. */
export function layerOf(text: string): TextLayer {
  const bytes = utf8Encode(text);
  const [starts, ends] = [new Uint32Array(bytes.length), new Uint32Array(bytes.length)];
  let index = 0;
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    // A byte that begins a character: four bytes are two UTF-16 units.
    if ((byte & 0xc0) !== 0x80) {
      index = end;
      end += byte >= 0xf0 ? 2 : 1;
    }
    starts[at] = index;
    ends[at] = end;
  }
  return { bytes, starts, ends };
}

/** Writes the bytes of a layer that is at most as long as `source`. */
class LayerWriter {
  readonly #source: TextLayer;
  readonly #layer: TextLayer;
  #length = 0;

  constructor(source: TextLayer) {
    const { length } = source.bytes;
    this.#source = source;
    this.#layer = { bytes: new Uint8Array(length), starts: new Uint32Array(length), ends: new Uint32Array(length) };
  }

  /** Adds a byte for the source's bytes from `from` to `to`. */
  add(byte: number, from: number, to: number): void {
    const { bytes, starts, ends } = this.#layer;
    bytes[this.#length] = byte;
    starts[this.#length] = this.#source.starts[from]!;
    ends[this.#length] = this.#source.ends[to - 1]!;
    this.#length++;
  }

  done(): TextLayer {
    const { bytes, starts, ends } = this.#layer;
    const end = this.#length;
    return { bytes: bytes.subarray(0, end), starts: starts.subarray(0, end), ends: ends.subarray(0, end) };
  }
}

/** Makes bytes comparable: without white space, in lower case, and with URL-safe base64 characters as the usual ones. */
export function foldLayer(layer: TextLayer): TextLayer {
  const writer = new LayerWriter(layer);
  const { bytes } = layer;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) continue;
    writer.add(
      byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte === 0x2d ? 0x2b : byte === 0x5f ? 0x2f : byte,
      at,
      at + 1,
    );
  }
  return writer.done();
}

/** Undoes one level of percent-encoding, backslashes and HTML entities. Returns `undefined` if there is nothing to undo. */
export function unescapeLayer(layer: TextLayer): TextLayer | undefined {
  const { bytes } = layer;
  if (!bytes.includes(0x25) && !bytes.includes(0x5c) && !bytes.includes(0x26)) return undefined;
  const writer = new LayerWriter(layer);
  for (let at = 0; at < bytes.length; ) {
    const escape = readEscape(bytes, at);
    if (escape === undefined) {
      writer.add(bytes[at]!, at, at + 1);
      at++;
    } else {
      const { length, byte, character = 0 } = escape;
      if (byte !== undefined || character < 0x80) writer.add(byte ?? character, at, at + length);
      else for (const each of utf8Encode(String.fromCodePoint(character))) writer.add(each, at, at + length);
      at += length;
    }
  }
  return writer.done();
}

/** An escape sequence: its length, and a byte or a character. */
interface Escape {
  readonly length: number;
  readonly byte?: number;
  readonly character?: number;
}

function readEscape(bytes: Uint8Array, at: number): Escape | undefined {
  switch (bytes[at]) {
    case 0x25: {
      const byte = readHex(bytes, at + 1, 2);
      return byte === undefined ? undefined : { length: 3, byte };
    }
    case 0x5c:
      return readBackslash(bytes, at);
    case 0x26:
      return readEntity(bytes, at);
    default:
      return undefined;
  }
}

const whiteSpace = new Set([0x62, 0x66, 0x6e, 0x72, 0x74]);

function readBackslash(bytes: Uint8Array, at: number): Escape | undefined {
  const next = bytes[at + 1];
  if (next === undefined) return undefined;
  if (next === 0x75) {
    const unit = readHex(bytes, at + 2, 4);
    if (unit !== undefined) {
      const low = bytes[at + 6] === 0x5c && bytes[at + 7] === 0x75 ? readHex(bytes, at + 8, 4) : undefined;
      if (unit >= 0xd800 && unit <= 0xdbff && low !== undefined && low >= 0xdc00 && low <= 0xdfff)
        return { length: 12, character: (unit - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000 };
      return { length: 6, character: unit };
    }
  }
  const byte = next === 0x78 ? readHex(bytes, at + 2, 2) : undefined;
  if (byte !== undefined) return { length: 4, byte };
  return { length: 2, byte: whiteSpace.has(next) ? 0x20 : next };
}

const entities: ReadonlyMap<string, number> = new Map([
  ["amp", 0x26],
  ["apos", 0x27],
  ["gt", 0x3e],
  ["lt", 0x3c],
  ["quot", 0x22],
]);
const longestEntity = 10;

function readEntity(bytes: Uint8Array, at: number): Escape | undefined {
  for (let end = at + 1; end < bytes.length && end <= at + longestEntity; end++) {
    const byte = bytes[end]!;
    const inName = byte === 0x23 || (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
    if (inName) continue;
    if (byte !== 0x3b) return undefined;
    const name = asciiSlice(bytes, at + 1, end);
    const number = /^#(?:(?<decimal>\d+)|[xX](?<hex>[0-9a-fA-F]+))$/.exec(name)?.groups;
    const character = number ? Number(number["decimal"] ?? `0x${number["hex"]!}`) : entities.get(name);
    return character === undefined || character > 0x10ffff ? undefined : { length: end + 1 - at, character };
  }
  return undefined;
}

function readHex(bytes: Uint8Array, at: number, length: number): number | undefined {
  if (at + length > bytes.length) return undefined;
  let value = 0;
  for (let index = at; index < at + length; index++) {
    const byte = bytes[index]! | 0x20;
    const digit = byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : undefined;
    if (digit === undefined) return undefined;
    value = value * 16 + digit;
  }
  return value;
}
