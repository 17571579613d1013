/** An encoding of requests and responses. */
export type Encoding = "json" | "yaml" | "protobuf" | "cbor";
