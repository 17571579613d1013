import { copyBytes } from "../../internal/bytes.js";
import { indexOfBytes } from "../../internal/text.js";
import type { DecodeOptions } from "../../meta/options.js";
import { managedFieldsOf } from "../decode-options.js";
import { internedSlice } from "../intern.js";
import { Cell, defineCell, findCell, keepCells, sameValue } from "../lazy.js";
import { decodeLead } from "./lead.js";
import { cutMetadata, memberReader, metadataEnd, parseText } from "./metadata.js";
import { tryParseJson, withBrace } from "./parse.js";
import { skipComposite, skipPlainString, skipScalar, startsWithBytes } from "./scan.js";
import type { JsonSharing, Member, SharingOptions } from "./sharing.js";

type Plain = Record<string, unknown>;

const metadataKey = new TextEncoder().encode('"metadata":{');

/** Maximum number of bytes before the metadata. Longer objects are parsed as a whole. */
const maxLead = 4096 + metadataKey.length;

/** Maximum number of members that are objects or arrays. Objects with more are parsed as a whole. */
const maxMembers = 64;

/** Offset after the object that `decodeParts` decoded. */
export let partsEnd = 0;

/**
 * Decodes the object at `start` part by part, according to the options. Returns `undefined` if the bytes aren't
 * formatted the way servers write them, or if the object doesn't end before `end`; the caller then parses it as a
 * whole. The decoder never guesses: a part is either parsed by itself, which proves its extent, or its brackets are
 * counted.
 */
export function decodeParts(bytes: Uint8Array, start: number, end: number, options: DecodeOptions): object | undefined {
  // In the items of a list, the metadata comes first.
  const key = startsWithBytes(bytes, start + 1, metadataKey)
    ? start + 1
    : start + indexOfBytes(bytes.subarray(start, Math.min(end, start + maxLead)), metadataKey, 0);
  if (key <= start || key >= end) return undefined;
  const object = decodeLead(bytes, start, key);
  if (object === undefined) return undefined;
  const { sharing } = options as SharingOptions;
  sharing?.begin(end - start);
  const metadata = cutMetadata(bytes, key + metadataKey.length - 1, end, managedFieldsOf(options), sharing);
  if (metadata === undefined) return undefined;
  object["metadata"] = metadata;
  const after = metadataEnd;
  // Without other members, there is nothing to share.
  if (after < end && bytes[after] === 0x7d && sharing === undefined) {
    partsEnd = after + 1;
    return object;
  }
  if (after >= end || bytes[after] !== 0x2c) return undefined;
  return options.lazy === true || options.previous !== undefined
    ? decodeMembers(bytes, after + 1, end, object, metadata, options, sharing)
    : parseRest(bytes, after + 1, end, object);
}

/** Parses everything after the metadata at once. */
function parseRest(bytes: Uint8Array, start: number, end: number, object: Plain): object | undefined {
  const rest = parseText(bytes, start, end, withBrace(bytes, start, end, "{"));
  if (rest === undefined) return undefined;
  for (const key of Object.keys(rest)) {
    // A duplicate of `metadata` or of a member before it. The last one wins, so the caller must parse the whole object.
    if (key === "__proto__" || key === "metadata" || key === "kind" || key === "apiVersion") return undefined;
    object[key] = rest[key];
  }
  partsEnd = end;
  return object;
}

/** Finds the members after the metadata, and defers, reuses or parses each. */
function decodeMembers(
  bytes: Uint8Array,
  start: number,
  end: number,
  object: Plain,
  metadata: Plain,
  options: DecodeOptions,
  sharing: JsonSharing | undefined,
): object | undefined {
  const members: Member[] = [];
  let p = start;
  for (;;) {
    const keyEnd = bytes[p] === 0x22 ? skipPlainString(bytes, p, end) : -1;
    if (keyEnd < 0 || bytes[keyEnd] !== 0x3a) return undefined;
    const key = internedSlice(bytes, p + 1, keyEnd - 1);
    if (
      key === undefined ||
      key === "__proto__" ||
      members.length === maxMembers ||
      Object.hasOwn(object, key) ||
      members.some((member) => member.key === key)
    )
      return undefined;
    const valueStart = keyEnd + 1;
    const first = bytes[valueStart];
    const composite = first === 0x7b || first === 0x5b;
    const valueEnd = composite ? skipComposite(bytes, valueStart, end) : skipScalar(bytes, valueStart, end);
    if (valueEnd < 0 || valueEnd >= end) return undefined;
    if (composite) members.push({ key, start: valueStart, end: valueEnd });
    else {
      const value = tryParseJson(bytes, valueStart, valueEnd);
      if (value === undefined) return undefined;
      object[key] = value;
    }
    p = valueEnd + 1;
    if (bytes[valueEnd] === 0x7d) break;
    if (bytes[valueEnd] !== 0x2c) return undefined;
  }
  const previous = options.previous?.(metadata["namespace"] as string | undefined, String(metadata["name"] ?? ""));
  if (
    sharing?.finish(object, metadata, bytes, members) !== true &&
    !defineMembers(bytes, members, object, previous, options)
  )
    return undefined;
  partsEnd = p;
  return object;
}

function defineMembers(
  bytes: Uint8Array,
  members: readonly Member[],
  object: Plain,
  previous: object | undefined,
  options: DecodeOptions,
): boolean {
  const lazy = options.lazy === true;
  // All members get cells, or none. A growing array would reserve room for 17.
  const cells = new Array<Cell>(members.length);
  let count = 0;
  // One copy contains everything that is kept, because the source array is reused for the next objects.
  let copy: Uint8Array | undefined;
  let copyStart = 0;
  for (const { key, start, end } of members) {
    const known = previous === undefined ? undefined : findCell(previous, key);
    let cell: Cell;
    if (known?.holds(bytes, start, end) === true) cell = known;
    else {
      let value: unknown;
      if (!lazy) {
        value = tryParseJson(bytes, start, end);
        if (value === undefined) return false;
        if (previous === undefined) {
          object[key] = value;
          continue;
        }
        const before = (previous as Plain)[key];
        if (sameValue(before, value)) value = before;
      }
      if (copy === undefined) {
        copyStart = start;
        copy = copyBytes(bytes, start, members.at(-1)!.end);
      }
      cell = new Cell(
        key,
        copy,
        start - copyStart,
        end - copyStart,
        options.previous !== undefined,
        lazy ? memberReader : undefined,
        value,
      );
    }
    cells[count++] = cell;
    if (!lazy) cell.get(object);
    defineCell(object, cell);
  }
  if (count > 0) keepCells(object, cells);
  return true;
}
