import { copyBytes } from "../../internal/bytes.js";
import { indexOfByte, indexOfBytes, utf8SliceStrict } from "../../internal/text.js";
import { Cell, type CellReader, defineCell, keepCells } from "../lazy.js";
import { nestsTooDeep, parseJson, withBrace } from "./parse.js";
import { skipComposite } from "./scan.js";
import type { JsonSharing } from "./sharing.js";

type Plain = Record<string, unknown>;

const managedFieldsKey = new TextEncoder().encode('"managedFields":[');

/** Number of bytes in which `managedFields` is searched before the end of the metadata is determined. */
const nearBytes = 4096;

/** Offset after the metadata that `cutMetadata` decoded. */
export let metadataEnd = 0;

/**
 * Decodes the metadata whose opening brace is at `start`, and keeps, drops or defers `managedFields`. Returns
 * `undefined` if the bytes aren't formatted the way servers write them.
 *
 * The skipped bytes aren't parsed, but their extent is certain in a valid document. The part before them, closed with a
 * brace, must parse, so the key is a direct member of the metadata. Its list ends at the first `]` unless another list
 * begins before. If that bracket were inside a string, the following bytes would begin inside a string too, and the
 * document couldn't be complete. If another list begins before, brackets are counted.
 */
export function cutMetadata(
  bytes: Uint8Array,
  start: number,
  end: number,
  managedFields: "keep" | "drop" | "lazy",
  sharing?: JsonSharing,
): Plain | undefined {
  const defer = managedFields === "lazy" && (sharing ?? true);
  const near = managedFields === "keep" ? -1 : search(bytes, start, Math.min(end, start + nearBytes));
  if (near >= 0) return cutAt(bytes, start, end, near, defer);
  const after = skipComposite(bytes, start, end);
  if (after < 0) return undefined;
  const far = managedFields === "keep" || after - start < nearBytes ? -1 : search(bytes, start, after);
  if (far >= 0) return cutAt(bytes, start, end, far, defer);
  const metadata = parseText(bytes, start, after, utf8SliceStrict(bytes, start, after));
  // The key may contain escapes, or its value isn't an array.
  if (metadata === undefined || (managedFields !== "keep" && Object.hasOwn(metadata, "managedFields")))
    return undefined;
  metadataEnd = after;
  return metadata;
}

function search(bytes: Uint8Array, start: number, end: number): number {
  const at = indexOfBytes(bytes.subarray(start, end), managedFieldsKey, 0);
  return at < 0 ? -1 : start + at;
}

function cutAt(
  bytes: Uint8Array,
  start: number,
  end: number,
  key: number,
  defer: boolean | JsonSharing,
): Plain | undefined {
  const valueStart = key + managedFieldsKey.length - 1;
  let valueEnd = indexOfByte(bytes, 0x5d, valueStart, end) + 1;
  const certain =
    valueEnd > 0 &&
    valueEnd < end &&
    bytes[valueEnd] === 0x7d &&
    indexOfByte(bytes, 0x5b, valueStart + 1, valueEnd) < 0;
  if (!certain) {
    valueEnd = skipComposite(bytes, valueStart, end);
    if (valueEnd < 0 || valueEnd >= end) return undefined;
  }
  const first = bytes[key - 1] === 0x7b && key - 1 === start;
  if (!first && bytes[key - 1] !== 0x2c) return undefined;
  const beforeEnd = first ? key : key - 1;
  const before = parseText(bytes, start, beforeEnd, withBrace(bytes, start, beforeEnd, "}"));
  if (before === undefined) return undefined;
  let metadata = before;
  let after = valueEnd + 1;
  if (bytes[valueEnd] === 0x2c) {
    // More members follow: parse everything except the value at once.
    after = skipComposite(bytes, start, end);
    if (after < 0) return undefined;
    const head = first ? "{" : `${utf8SliceStrict(bytes, start, key - 1) ?? ""},`;
    const tail = utf8SliceStrict(bytes, valueEnd + 1, after);
    const whole = tail === undefined ? undefined : parseText(bytes, start, after, head + tail);
    if (whole === undefined) return undefined;
    metadata = whole;
  } else if (bytes[valueEnd] !== 0x7d) return undefined;
  if (Object.hasOwn(metadata, "managedFields") || Object.hasOwn(metadata, "__proto__")) return undefined;
  metadataEnd = after;
  if (defer === false) return metadata;
  // Added before the members that follow it, for their order.
  if (defer === true || !defer.add(before, bytes, valueStart, valueEnd)) {
    const copy = copyBytes(bytes, valueStart, valueEnd);
    const cell = new Cell("managedFields", copy, 0, copy.length, false, memberReader);
    keepCells(before, [cell]);
    defineCell(before, cell);
  }
  return metadata === before ? before : Object.assign(before, metadata);
}

/** Parses the text for these bytes, an object. Returns `undefined` if it's invalid. */
export function parseText(bytes: Uint8Array, start: number, end: number, text: string | undefined): Plain | undefined {
  if (text === undefined || nestsTooDeep(bytes, start, end)) return undefined;
  try {
    return JSON.parse(text) as Plain;
  } catch {
    return undefined;
  }
}

/** Decodes a deferred member. */
export const memberReader: CellReader = (bytes, start, end, key) => parseJson(bytes, start, end, key);
