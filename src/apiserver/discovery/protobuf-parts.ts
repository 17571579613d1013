import { varintBytes } from "../../codec/protobuf/varint.js";
import { utf8Encode } from "../../internal/bytes.js";

/** JSON data. */
export type Json = Record<string, unknown>;
/** Pieces of a message. */
export type Bytes = Uint8Array[];

/** A number as a varint. */
export function varint(value: number): Uint8Array {
  return Uint8Array.from(varintBytes(value));
}

/** Length of all pieces. */
function size(parts: Bytes): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** A field that holds a message. */
export function message(field: number, parts: Bytes): Bytes {
  return [varint(field * 8 + 2), varint(size(parts)), ...parts];
}

/** A field that holds a text; nothing for an empty one. */
export function text(field: number, value: unknown): Bytes {
  if (typeof value !== "string" || value === "") return [];
  const bytes = utf8Encode(value);
  return [varint(field * 8 + 2), varint(bytes.length), bytes];
}

/** A field that holds `true`; nothing for all else. */
export function flag(field: number, value: unknown): Bytes {
  return value === true ? [varint(field * 8), varint(1)] : [];
}

/** A field that holds a positive integer. */
export function integer(field: number, value: unknown): Bytes {
  return typeof value === "number" && value > 0 ? [varint(field * 8), varint(value)] : [];
}

/** A field that holds a double; nothing for zero. */
export function double(field: number, value: unknown): Bytes {
  if (typeof value !== "number" || value === 0) return [];
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return [varint(field * 8 + 1), bytes];
}

/** A field that holds a name and a message. */
export function named(field: number, name: string, value: Bytes): Bytes {
  return message(field, [...text(1, name), ...message(2, value)]);
}
