import type { RequestContext } from "../http/request-context.js";
import type { RegistryServices } from "../registry/services.js";
import type { ProtobufCache } from "./protobuf-cache.js";

/** Services that reading bodies and writing responses need. */
export interface WireServices extends RegistryServices {
  /** Stored objects in their Protobuf form. */
  readonly protobuf: ProtobufCache;
}

/** A request as the wire room sees it. */
export type WireContext = RequestContext<WireServices>;
