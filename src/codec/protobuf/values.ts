import { internedSlice } from "../intern.js";
import { tryParseJson } from "../json/parse.js";
import { formatDuration, formatMicroTime, formatSeconds } from "./special.js";
import { type Field, fieldKind, type MessageType } from "./table.js";
import { fail, position, readBigInt64, readInt64, readVarint, skipField } from "./wire.js";

/** Decodes a string. Throws for invalid UTF-8. */
export function decodeText(bytes: Uint8Array, start: number, end: number, field: Field): string {
  return internedSlice(bytes, start, end) ?? fail(`invalid UTF-8 in ${field.key}`, start);
}

type Plain = Record<string, unknown>;

/** Sets the fields that JSON includes although they weren't sent, in JSON's order. */
export function fillMissing(object: Plain, type: MessageType, seen: number): void {
  for (const field of type.ranked) {
    if ((field.bit & ~seen) === 0) continue;
    if (field.inline) fillMissing(object, field.type, 0);
    else if (!Object.hasOwn(object, field.key)) object[field.key] = zeroOf(field, type);
  }
}

function zeroOf(field: Field, type: MessageType): unknown {
  // A nil list is null in JSON, but servers send the items of a list as an empty array.
  if (field.repeated) return field.key === "items" && type.name.endsWith("List") ? [] : null;
  if (field.map || field.pointer) return null;
  switch (field.kind) {
    case fieldKind.string:
      return "";
    case fieldKind.bool:
    case fieldKind.orBool:
      return false;
    case fieldKind.int32:
    case fieldKind.int64:
    case fieldKind.double:
    case fieldKind.intOrString:
      return 0;
    case fieldKind.quantity:
      return "0";
    case fieldKind.duration:
      return "0s";
    case fieldKind.message: {
      const object = {};
      fillMissing(object, field.type, 0);
      return object;
    }
    default:
      return null;
  }
}

/**
 * Iterates over the fields of a small message. `visit` gets the number, the wire type and the extent of the content.
 */
export function eachField(
  bytes: Uint8Array,
  start: number,
  end: number,
  visit: (number: number, wire: number, from: number, to: number) => void,
): void {
  let p = start;
  while (p < end) {
    const tag = readVarint(bytes, p, end);
    const from = position;
    p = skipField(bytes, from, end, tag & 7);
    let content = from;
    if ((tag & 7) === 2) {
      readVarint(bytes, from, end);
      content = position;
    }
    visit(Math.floor(tag / 8), tag & 7, content, p);
  }
}

/** Decodes a time in seconds or microseconds. Returns null for the zero time. */
export function decodeTime(bytes: Uint8Array, start: number, end: number, field: Field): string | null {
  if (start === end) return null;
  let seconds = 0;
  let nanos = 0;
  let p = start;
  while (p < end) {
    const tag = bytes[p]!;
    if (tag === 8) {
      seconds = readInt64(bytes, p + 1, end);
      p = position;
    } else if (tag === 16) {
      nanos = readInt64(bytes, p + 1, end);
      p = position;
    } else {
      const unknownTag = readVarint(bytes, p, end);
      if (unknownTag < 24) fail(`malformed time in ${field.key}`, p);
      p = skipField(bytes, position, end, unknownTag & 7);
    }
  }
  return (
    (field.kind === fieldKind.time ? formatSeconds(seconds) : formatMicroTime(seconds, nanos)) ??
    fail(`time out of range in ${field.key}`, start)
  );
}

/** Decodes a quantity in its original notation. */
export function decodeQuantity(bytes: Uint8Array, start: number, end: number, field: Field): string {
  // The common case: a single field of less than 128 bytes.
  if (end - start > 2 && bytes[start] === 10 && bytes[start + 1] === end - start - 2)
    return decodeText(bytes, start + 2, end, field);
  let text = "";
  eachField(bytes, start, end, (number, wire, from, to) => {
    if (number === 1 && wire === 2) text = decodeText(bytes, from, to, field);
    else if (number === 1) fail(`malformed quantity in ${field.key}`, from);
  });
  return text === "" ? "0" : text;
}

/** Decodes a number or a string, depending on its type. */
export function decodeIntOrString(bytes: Uint8Array, start: number, end: number, field: Field): number | string {
  let type = 0;
  let int = 0;
  let text = "";
  eachField(bytes, start, end, (number, wire, from, to) => {
    if (number <= 3 && wire !== (number === 3 ? 2 : 0)) fail(`malformed int-or-string in ${field.key}`, from);
    if (number === 1) type = readInt64(bytes, from, to);
    else if (number === 2) int = readInt64(bytes, from, to);
    else if (number === 3) text = decodeText(bytes, from, to, field);
  });
  if (type !== 0 && type !== 1) fail(`int-or-string of neither kind in ${field.key}`, start);
  return type === 1 ? text : int;
}

/** Returns the offset of the content of a message with a single bytes field, or -1. Sets `contentEnd`. */
export function contentOf(bytes: Uint8Array, start: number, end: number, field: Field): number {
  let at = -1;
  eachField(bytes, start, end, (number, wire, from, to) => {
    if (number !== 1) return;
    if (wire !== 2) fail(`malformed ${field.key}`, from);
    at = from === to ? -1 : from;
    contentEnd = to;
  });
  return at;
}

/** Offset after the bytes that `contentOf` found. */
export let contentEnd = 0;

/** Parses JSON inside a message. */
export function decodeEmbeddedJson(bytes: Uint8Array, start: number, end: number, field: Field): unknown {
  const value = tryParseJson(bytes, start, end);
  return value === undefined ? fail(`malformed JSON in ${field.key}`, start) : value;
}

/** Decodes a duration into Go's notation. */
export function decodeDuration(bytes: Uint8Array, start: number, end: number, field: Field): string {
  let nanoseconds = 0n;
  eachField(bytes, start, end, (number, wire, from, to) => {
    if (number !== 1) return;
    if (wire !== 0) fail(`malformed duration in ${field.key}`, from);
    nanoseconds = readBigInt64(bytes, from, to);
  });
  return formatDuration(nanoseconds);
}

/** Decodes a list of strings that is a message of its own. */
export function decodeStrings(bytes: Uint8Array, start: number, end: number, field: Field): string[] {
  const list: string[] = [];
  eachField(bytes, start, end, (number, wire, from, to) => {
    if (number !== 1) return;
    if (wire !== 2) fail(`malformed ${field.key}`, from);
    list.push(decodeText(bytes, from, to, field));
  });
  return list;
}
