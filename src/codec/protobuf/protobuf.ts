import { allSchemas } from "../../gen/proto/all.js";
import type { ProtobufSchema } from "../../gen/proto/schema.js";
import type { Codec } from "../codec.js";
import { protobufFor } from "./protobuf-for.js";

/** Options for `protobuf`. */
export interface ProtobufOptions {
  /** Tables of the group-versions that are wanted, as `coreV1`. Default: those of every built-in group-version. */
  readonly schemas?: readonly ProtobufSchema[];
}

/**
 * The Protobuf encoding of built-in kinds. Objects come out, and go in, as in the JSON API. Kinds without a table, custom
 * resources among them, are left to the next codec. In a bundle, `protobufFor` costs only the tables it is given.
 */
export function protobuf(options: ProtobufOptions = {}): Codec {
  return protobufFor(options.schemas ?? allSchemas);
}
