import { copyBytes } from "../../internal/bytes.js";
import { setOwn } from "../../internal/set-own.js";
import { indexOfByte, indexOfBytes, utf8SliceStrict } from "../../internal/text.js";
import { Cell, type CellReader, defineCell, defineDeferred, keepCells } from "../lazy.js";
import { nestsTooDeep, parseJson, withBrace } from "./parse.js";
import { skipComposite } from "./scan.js";
import type { JsonSharing } from "./shared-json.js";

type Plain = Record<string, unknown>;

const MANAGED_FIELDS = new TextEncoder().encode('"managedFields":[');

/** Number of bytes in which `managedFields` is searched before the end of the metadata is determined. */
const NEAR = 4096;

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
  const near = managedFields === "keep" ? -1 : search(bytes, start, Math.min(end, start + NEAR));
  if (near >= 0) return cutAt(bytes, start, end, near, managedFields === "lazy", sharing);
  const after = skipComposite(bytes, start, end);
  if (after < 0) return undefined;
  const far = managedFields === "keep" || after - start < NEAR ? -1 : search(bytes, start, after);
  if (far >= 0) return cutAt(bytes, start, end, far, managedFields === "lazy", sharing);
  const metadata = parse(bytes, start, after, utf8SliceStrict(bytes, start, after));
  // The key may contain escapes, or its value isn't an array.
  if (metadata === undefined || (managedFields !== "keep" && Object.hasOwn(metadata, "managedFields")))
    return undefined;
  metadataEnd = after;
  return metadata;
}

function search(bytes: Uint8Array, start: number, end: number): number {
  const at = indexOfBytes(bytes.subarray(start, end), MANAGED_FIELDS, 0);
  return at < 0 ? -1 : start + at;
}

function cutAt(
  bytes: Uint8Array,
  start: number,
  end: number,
  key: number,
  lazy: boolean,
  sharing: JsonSharing | undefined,
): Plain | undefined {
  const valueStart = key + MANAGED_FIELDS.length - 1;
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
  const before = parse(bytes, start, beforeEnd, withBrace(bytes, start, beforeEnd, "}"));
  if (before === undefined) return undefined;
  let metadata = before;
  let after = valueEnd + 1;
  if (bytes[valueEnd] === 0x2c) {
    // More members follow: parse everything except the value at once.
    after = skipComposite(bytes, start, end);
    if (after < 0) return undefined;
    const head = first ? "{" : `${utf8SliceStrict(bytes, start, key - 1) ?? ""},`;
    const tail = utf8SliceStrict(bytes, valueEnd + 1, after);
    if (tail === undefined || nestsTooDeep(bytes, start, after)) return undefined;
    try {
      metadata = JSON.parse(head + tail) as Plain;
    } catch {
      return undefined;
    }
  } else if (bytes[valueEnd] !== 0x7d) return undefined;
  if (Object.hasOwn(metadata, "managedFields")) return undefined;
  metadataEnd = after;
  if (!lazy) return metadata;
  const whole = metadata === before ? before : copyOf(metadata, Object.keys(before));
  keepManagedFields(whole, bytes, valueStart, valueEnd, sharing);
  if (metadata !== before) copyMissing(metadata, whole);
  return whole;
}

/** Returns an object with some of the members of another one. Their order is that of a parsed object. */
function copyOf(source: Plain, keys: readonly string[]): Plain {
  const copy: Plain = {};
  for (const key of keys) setOwn(copy, key, source[key]);
  return copy;
}

/** Adds the members that an object lacks, in their order. */
function copyMissing(source: Plain, target: Plain): void {
  for (const key of Object.keys(source)) if (!Object.hasOwn(target, key)) setOwn(target, key, source[key]);
}

/** Parses the text for these bytes. */
function parse(bytes: Uint8Array, start: number, end: number, text: string | undefined): Plain | undefined {
  if (text === undefined || nestsTooDeep(bytes, start, end)) return undefined;
  try {
    return JSON.parse(text) as Plain;
  } catch {
    return undefined;
  }
}

const reader: CellReader = (bytes, start, end) => parseJson(bytes, start, end, "managedFields");

function keepManagedFields(
  metadata: Plain,
  bytes: Uint8Array,
  start: number,
  end: number,
  sharing: JsonSharing | undefined,
): void {
  if (sharing !== undefined) {
    sharing.add("managedFields", bytes, start, end, reader);
    defineDeferred(metadata, "managedFields");
    return;
  }
  const copy = copyBytes(bytes, start, end);
  const cell = new Cell("managedFields", copy, 0, copy.length, false, reader);
  keepCells(metadata, [cell]);
  defineCell(metadata, cell);
}
