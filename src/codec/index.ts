export type { RawWatchEvent } from "../meta/watch-event.js";
export type { Codec, CodecTarget, ListDecoder, WatchDecoder } from "./codec.js";
export { json } from "./json/json.js";
