import type { ProtobufSchema } from "../../gen/proto/schema.js";
import type { Codec } from "../codec.js";
import { encodeObject } from "./encode.js";
import { decodeObject, MEDIA_TYPE } from "./envelope.js";
import { createProtobufListDecoder } from "./list.js";
import { createRegistry } from "./registry.js";
import { createProtobufWatchDecoder } from "./watch.js";
import { setSubject } from "./wire.js";

/** Longest frame of a watch that is taken unless told otherwise: 64 MiB. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** The Protobuf encoding of the kinds in the tables given: a bundle holds these and no others. */
export function protobufFor(schemas: readonly ProtobufSchema[]): Codec {
  const registry = createRegistry(schemas);
  return {
    mediaType: MEDIA_TYPE,
    watchMediaType: `${MEDIA_TYPE};stream=watch`,
    supports: ({ group, version, kind, custom }) =>
      custom !== true && registry.find(group === "" ? version : `${group}/${version}`, kind) !== undefined,
    encode: (object) => encodeObject(object, registry),
    decode(bytes, options) {
      setSubject("object", 0);
      return decodeObject(bytes, 0, bytes.length, registry, options);
    },
    createListDecoder: (options) => createProtobufListDecoder(registry, options),
    createWatchDecoder: (options) =>
      createProtobufWatchDecoder(registry, options, options?.maxFrameBytes ?? MAX_FRAME_BYTES),
  };
}
