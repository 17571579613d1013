/** Encoding of request and response bodies. */
export type Encoding = "json" | "yaml" | "protobuf" | "cbor";
