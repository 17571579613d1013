import { varintBytes } from "../../codec/protobuf/varint.js";
import { position, readVarint } from "../../codec/protobuf/wire.js";
import { concatBytes } from "../../internal/bytes.js";
import type { ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import type { Version } from "../storage/bucket.js";
import { encodeObject } from "./encodings.js";
import type { ProtobufCache } from "./protobuf-cache.js";

/** Length of the magic number. Importing it would load the decoder with the server. */
const magicLength = 4;
/** Bytes after the message of an envelope: its encoding and content type, which are empty. */
const tailLength = 4;

/** Returns the position of the message's field in an envelope, after the magic number and the type. */
function messageField(envelope: Uint8Array): number {
  const type = readVarint(envelope, magicLength + 1, envelope.length);
  return position + type;
}

/**
 * Encodes a list from items that are already encoded. All list messages have metadata in field 1 and items in field 2,
 * which is also the field of the message in an envelope: an item is copied together with its tag and length.
 */
export function protobufList(
  cache: ProtobufCache,
  resource: ServedResource,
  versions: readonly Version[],
  metadata: object,
): Uint8Array {
  const list = encodeObject(
    "protobuf",
    { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata, items: [] },
    false,
  );
  const field = messageField(list);
  readVarint(list, field + 1, list.length);
  const end = list.length - tailLength;
  const message = [list.subarray(position, end)];
  for (const version of versions) {
    const item = cache.of(resource, version);
    message.push(item.subarray(messageField(item), item.length - tailLength));
  }
  const length = message.reduce((sum, part) => sum + part.length, 0);
  return concatBytes([
    list.subarray(0, field + 1),
    Uint8Array.from(varintBytes(length)),
    ...message,
    list.subarray(end),
  ]);
}
