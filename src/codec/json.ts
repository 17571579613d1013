import { ProtocolError } from "../errors/errors.js";
import { utf8Encode } from "../internal/bytes.js";
import type { Codec } from "./codec.js";
import { createJsonListDecoder } from "./json/list.js";
import { decodeJsonObject } from "./json/object.js";
import { createJsonWatchDecoder } from "./json/watch.js";
import { unknownFieldCount } from "./unknown-fields.js";

/** Longest frame of a watch that is taken unless told otherwise: 64 MiB. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** The JSON encoding, which every server and kind has. */
export function json(): Codec {
  return {
    mediaType: "application/json",
    watchMediaType: "application/json",
    supports: () => true,
    encode,
    decode: (bytes, options) => decodeJsonObject(bytes, 0, bytes.length, options, "object"),
    createListDecoder: createJsonListDecoder,
    createWatchDecoder: (options) => createJsonWatchDecoder(options, options?.maxFrameBytes ?? MAX_FRAME_BYTES),
  };
}

function encode(object: object): Uint8Array {
  if (unknownFieldCount(object) > 0) {
    throw new ProtocolError(
      "encode object as JSON: it was read as Protobuf and has fields that only the server knows; write it as Protobuf, read it as JSON, or change it by a patch",
    );
  }
  let text: string | undefined;
  try {
    text = JSON.stringify(object);
  } catch (cause) {
    throw new ProtocolError("encode object as JSON: it holds a cycle or a value that JSON cannot carry", { cause });
  }
  if (text === undefined) throw new ProtocolError("encode object as JSON: it is no object");
  return utf8Encode(text);
}
