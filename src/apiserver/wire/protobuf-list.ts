import { varintBytes } from "../../codec/protobuf/varint.js";
import { position, readVarint } from "../../codec/protobuf/wire.js";
import type { ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import type { Version } from "../storage/bucket.js";
import { encodeObject } from "./encodings.js";
import type { ProtobufCache } from "./protobuf-cache.js";

const magicLength = 4;

/** Returns the range of the message inside an envelope, after the magic number and the type. */
function messageRange(bytes: Uint8Array): [number, number] {
  const type = readVarint(bytes, magicLength + 1, bytes.length);
  const length = readVarint(bytes, position + type + 1, bytes.length);
  return [position, position + length];
}

/**
 * Encodes a list from items that are already encoded. All list messages have metadata in field 1 and items in field 2.
 */
export function protobufList(
  cache: ProtobufCache,
  resource: ServedResource,
  versions: readonly Version[],
  metadata: object,
): Uint8Array {
  const head = encodeObject(
    "protobuf",
    { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata, items: [] },
    false,
  );
  const [headStart, headEnd] = messageRange(head);
  const items = versions.map((version) => {
    const bytes = cache.of(resource, version);
    const [start, end] = messageRange(bytes);
    return { bytes, start, end, tag: [0x12, ...varintBytes(end - start)] };
  });
  const message = items.reduce((sum, item) => sum + item.tag.length + item.end - item.start, headEnd - headStart);
  // Keep the head's envelope: magic number, type and the tag of the message.
  let typeEnd = magicLength + 1;
  while (head[typeEnd]! > 127) typeEnd += 1;
  const typeLength = head
    .subarray(magicLength + 1, typeEnd + 1)
    .reduce((sum, byte, index) => sum + (byte & 127) * 128 ** index, 0);
  const front = head.subarray(0, typeEnd + 1 + typeLength);
  const length = [0x12, ...varintBytes(message)];
  const tail = head.subarray(headEnd);
  const whole = new Uint8Array(front.length + length.length + message + tail.length);
  let at = 0;
  const put = (part: ArrayLike<number>): void => {
    whole.set(part, at);
    at += part.length;
  };
  put(front);
  put(length);
  put(head.subarray(headStart, headEnd));
  for (const item of items) {
    put(item.tag);
    put(item.bytes.subarray(item.start, item.end));
  }
  put(tail);
  return whole;
}
