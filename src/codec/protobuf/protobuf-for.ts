import type { ProtobufSchema } from "../../gen/protobuf-schema.js";
import type { Codec } from "../codec.js";
import { encodeObject } from "./encode.js";
import { decodeObject, protobufMediaType } from "./envelope.js";
import { createProtobufListDecoder } from "./list.js";
import { createRegistry } from "./registry.js";
import { createProtobufWatchDecoder } from "./watch.js";
import { setSubject } from "./wire.js";

/** Default maximum length of a watch frame: 64 MiB. */
const maxFrameBytes = 64 * 1024 * 1024;

/**
 * Creates a Protobuf codec for the given tables of group-versions. Bundles contain only these tables, so prefer it to
 * `protobuf` in browsers.
 *
 * @example
 * ```ts
 * import { createClient, fetchTransport } from "kubestream";
 * import { appsV1, coreV1, protobufFor } from "kubestream/codec/protobuf";
 *
 * const transport = fetchTransport({ url: "http://127.0.0.1:8001" });
 * const client = createClient({ transport, codecs: [protobufFor([coreV1, appsV1])] });
 * await client.close();
 * ```
 */
export function protobufFor(schemas: readonly ProtobufSchema[]): Codec {
  const registry = createRegistry(schemas);
  return {
    mediaType: protobufMediaType,
    watchMediaType: `${protobufMediaType};stream=watch`,
    supports: ({ group, version, kind, custom }) =>
      custom !== true && registry.find(group === "" ? version : `${group}/${version}`, kind) !== undefined,
    encode: (object) => encodeObject(object, registry),
    decode(bytes, options) {
      setSubject("object", 0);
      return decodeObject(bytes, 0, bytes.length, registry, options);
    },
    createListDecoder: (options) => createProtobufListDecoder(registry, options),
    createWatchDecoder: (options) =>
      createProtobufWatchDecoder(registry, options, options?.maxFrameBytes ?? maxFrameBytes),
  };
}
