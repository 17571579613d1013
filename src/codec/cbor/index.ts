export { cbor } from "./cbor.js";
