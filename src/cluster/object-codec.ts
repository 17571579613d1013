import type { Codec, ListDecoder, WatchDecoder } from "../codec/codec.js";
import { json } from "../codec/json/json.js";
import { utf8Encode } from "../internal/bytes.js";
import { ObjectBytes } from "../internal/object-bytes.js";
import type { DecodeOptions } from "../meta/options.js";
import type { RawWatchEvent } from "../meta/watch-event.js";

/**
 * Creates a JSON codec for a client in the server's process. It hands objects over instead of encoding them, and takes
 * those that the server hands over, which are frozen. Everything else is JSON.
 */
export function objectCodec(): Codec {
  const text = json();
  return {
    ...text,
    encode: (object) => new ObjectBytes(object),
    decode: (bytes, options) => (isPlain(bytes, options) ? bytes.value : text.decode(asText(bytes), options)),
    createListDecoder(options): ListDecoder {
      return text.createListDecoder(options);
    },
    createWatchDecoder(options): WatchDecoder {
      const decoder = text.createWatchDecoder(options);
      return {
        push: (chunk) => (isPlain(chunk, options) ? (chunk.value as RawWatchEvent[]) : decoder.push(asLines(chunk))),
        end: () => decoder.end(),
      };
    },
  };
}

/** True for an object that needs no changes for these options. */
function isPlain(bytes: Uint8Array, options: DecodeOptions | undefined): bytes is ObjectBytes {
  if (!(bytes instanceof ObjectBytes)) return false;
  const { managedFields = "keep", previous } = options ?? {};
  return managedFields !== "drop" && previous === undefined;
}

function asText(bytes: Uint8Array): Uint8Array {
  return bytes instanceof ObjectBytes ? utf8Encode(JSON.stringify(bytes.value)) : bytes;
}

/** Returns the events of a watch as its server would have sent them. */
function asLines(chunk: Uint8Array): Uint8Array {
  if (!(chunk instanceof ObjectBytes)) return chunk;
  return utf8Encode((chunk.value as RawWatchEvent[]).map((event) => `${JSON.stringify(event)}\n`).join(""));
}
