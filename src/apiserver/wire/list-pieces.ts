import { varintBytes } from "../../codec/protobuf/varint.js";
import { position, readVarint } from "../../codec/protobuf/wire.js";
import { concatBytes, copyBytes, utf8Encode } from "../../internal/bytes.js";
import { encodeObject } from "./encodings.js";
import type { Negotiated } from "./negotiate.js";

/** Characters or bytes of a piece. */
const pieceLength = 65_536;

/** A list whose items are made one by one. */
export interface ListParts {
  /** The list without its last member. */
  readonly head: object;
  /** Name of the last member, which holds the items. */
  readonly member: "items" | "rows";
  readonly items: Iterable<object>;
  /** Value of the last member of an empty list. */
  readonly empty: readonly never[] | null;
}

/** Converts items on demand. */
export function* mapItems<T, R>(items: Iterable<T>, convert: (item: T) => R): Generator<R> {
  for (const item of items) yield convert(item);
}

/** Returns the list as one object. */
export function wholeList({ head, member, items, empty }: ListParts): object {
  const all = [...items];
  return { ...head, [member]: all.length === 0 ? empty : all };
}

/** Encodes a list with at least one item in an encoding that has pieces. */
export function encodePieces({ encoding, pretty }: Negotiated, list: ListParts, count: number): Iterable<Uint8Array> {
  const { head, items } = list;
  switch (encoding) {
    case "json":
      return jsonPieces(
        list,
        mapItems(items, (item) => jsonItem(item, pretty)),
        pretty,
      );
    case "cbor":
      return cborPieces(head, items, count);
    case "protobuf":
      return protobufPieces(
        head,
        mapItems(items, (item) => encodeObject("protobuf", item, false)),
      );
    default:
      return [encodeObject(encoding, wholeList(list), pretty)];
  }
}

/** Text between the items of a list in JSON, before the first and after the last. */
const compact = { start: "[", separator: ",", end: "]}\n" };
const indented = { start: "[\n    ", separator: ",\n    ", end: "\n  ]\n}\n" };

/** Encodes an item as it appears in a list. */
function jsonItem(item: object, pretty: boolean): string {
  return pretty
    ? JSON.stringify([[item]], null, 2).slice("[\n  [\n    ".length, -"\n  ]\n]".length)
    : JSON.stringify(item);
}

/** Encodes a list as JSON from the texts of its items. */
export function* jsonPieces(
  { head, member }: Pick<ListParts, "head" | "member">,
  items: Iterable<string>,
  pretty = false,
): Generator<Uint8Array> {
  const { start, separator, end } = pretty ? indented : compact;
  const list = JSON.stringify({ ...head, [member]: [] }, null, pretty ? 2 : 0);
  let text = list.slice(0, list.lastIndexOf("["));
  let before = start;
  for (const item of items) {
    text += before + item;
    before = separator;
    if (text.length < pieceLength) continue;
    yield utf8Encode(text);
    text = "";
  }
  yield utf8Encode(text + end);
}

/** Bytes of a CBOR item before its content: the self-describing tag. */
const cborTagLength = 3;

/** Encodes a list of `count` items as CBOR. */
export function* cborPieces(head: object, items: Iterable<object>, count: number): Generator<Uint8Array> {
  const list = encodeObject("cbor", { ...head, items: [] }, false);
  // An array without items is the last byte.
  yield concatBytes([list.subarray(0, -1), cborArrayHead(count)]);
  yield* joined(mapItems(items, (item) => encodeObject("cbor", item, false).subarray(cborTagLength)));
}

function cborArrayHead(count: number): Uint8Array {
  if (count < 24) return Uint8Array.of(0x80 | count);
  const bytes = new Uint8Array(5);
  const view = new DataView(bytes.buffer);
  view.setUint32(1, count);
  const size = count < 256 ? 1 : count < 65_536 ? 2 : 4;
  const head = bytes.subarray(4 - size);
  head[0] = 0x98 + Math.log2(size);
  return head;
}

/** Length of the magic number of Protobuf. Importing it would load the decoder with the server. */
const magicLength = 4;
/** Bytes after the message of an envelope: its encoding and content type, which are empty. */
const tailLength = 4;

/** Returns the position of the message's field in an envelope, after the magic number and the type. */
function messageField(envelope: Uint8Array): number {
  const type = readVarint(envelope, magicLength + 1, envelope.length);
  return position + type;
}

/**
 * Encodes a list as Protobuf from the envelopes of its items. All list messages have metadata in field 1 and items in
 * field 2, which is also the field of the message in an envelope: an item is copied together with its tag and length.
 * The length of the message comes first, so that all items are encoded before the first byte; empty pieces divide that
 * work into turns.
 */
export function* protobufPieces(head: object, items: Iterable<Uint8Array>): Generator<Uint8Array> {
  const list = encodeObject("protobuf", { ...head, items: [] }, false);
  const field = messageField(list);
  readVarint(list, field + 1, list.length);
  const end = list.length - tailLength;
  const message = [list.subarray(position, end)];
  let length = message[0]!.length;
  let encoded = 0;
  for (const item of items) {
    const part = item.subarray(messageField(item), item.length - tailLength);
    message.push(part);
    length += part.length;
    encoded += part.length;
    if (encoded < pieceLength) continue;
    yield new Uint8Array();
    encoded = 0;
  }
  yield concatBytes([list.subarray(0, field + 1), Uint8Array.from(varintBytes(length))]);
  yield* joined(message);
  yield copyBytes(list, end);
}

/** Joins parts to pieces. */
function* joined(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
  let group: Uint8Array[] = [];
  let length = 0;
  for (const part of parts) {
    group.push(part);
    length += part.length;
    if (length < pieceLength) continue;
    yield copyOf(group);
    group = [];
    length = 0;
  }
  yield copyOf(group);
}

/** Returns parts as one copy, because they may belong to a cache. */
function copyOf(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? copyBytes(parts[0]!) : concatBytes(parts);
}
