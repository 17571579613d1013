import type { Encoding } from "../http/encoding.js";
import type { RequestContext } from "../http/request-context.js";
import type { RegistryServices } from "../registry/services.js";
import type { ProtobufCache } from "./protobuf-cache.js";

/** Services for reading bodies and writing responses. */
export interface WireServices extends RegistryServices {
  /** Protobuf encodings of stored objects. */
  readonly protobuf: ProtobufCache;
  /** Encodings of documents and errors of the API. */
  readonly encodings: readonly Encoding[];
}

/** A request with the services for reading bodies and writing responses. */
export type WireContext = RequestContext<WireServices>;
