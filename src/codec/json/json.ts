import { ProtocolError } from "../../errors/errors.js";
import type { Codec } from "../codec.js";
import { unknownFieldCount } from "../unknown-fields.js";
import { encodeJson } from "./encode.js";
import { createJsonListDecoder } from "./list.js";
import { decodeJsonObject } from "./object.js";
import { createJsonWatchDecoder } from "./watch.js";

/** Default maximum length of a watch frame: 64 MiB. */
const maxFrameBytes = 64 * 1024 * 1024;

/**
 * Creates the JSON codec, which every server and every kind supports. Clients use it by default.
 *
 * @example
 * ```ts
 * import { json } from "kubestream/codec";
 *
 * const codec = json();
 * const bytes = codec.encode({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } });
 * console.log(codec.decode(bytes, { managedFields: "drop" }));
 * ```
 */
export function json(): Codec {
  return {
    mediaType: "application/json",
    watchMediaType: "application/json",
    supports: () => true,
    encode,
    decode: (bytes, options) => decodeJsonObject(bytes, 0, bytes.length, options, "object"),
    createListDecoder: createJsonListDecoder,
    createWatchDecoder: (options) => createJsonWatchDecoder(options, options?.maxFrameBytes ?? maxFrameBytes),
  };
}

function encode(object: object): Uint8Array {
  if (unknownFieldCount(object) > 0) {
    throw new ProtocolError(
      "encode object as JSON: it was decoded from Protobuf and has fields unknown to this client; write it as Protobuf, read it as JSON, or use a patch",
    );
  }
  return encodeJson(object);
}
