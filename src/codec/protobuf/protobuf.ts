import { allSchemas } from "../../gen/proto/all.js";
import type { ProtobufSchema } from "../../gen/protobuf-schema.js";
import type { Codec } from "../codec.js";
import { protobufFor } from "./protobuf-for.js";

/** Options for `protobuf`. */
export interface ProtobufOptions {
  /** Tables of the group-versions to support, such as `coreV1`. Default: all built-in group-versions. */
  readonly schemas?: readonly ProtobufSchema[] | undefined;
}

/**
 * Creates a Protobuf codec for the built-in kinds. Objects look the same as in the JSON API. Kinds without a table,
 * such as custom resources, use the client's next codec. It includes the tables of all group-versions; in a bundle,
 * `protobufFor` is smaller.
 *
 * @example
 * ```ts
 * import { protobuf } from "kubestream/codec/protobuf";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect({ codecs: [protobuf()] }); // JSON for everything else
 * await client.close();
 * ```
 */
export function protobuf(options: ProtobufOptions = {}): Codec {
  return protobufFor(options.schemas ?? allSchemas);
}
