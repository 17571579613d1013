export { cbor } from "../../codec/cbor/cbor.js";
export { protobuf } from "../../codec/protobuf/protobuf.js";
export { protobufFromJson } from "./json-to-protobuf.js";
