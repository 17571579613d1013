import { ProtocolError } from "../../errors/errors.js";
import { ChunkBuffer } from "../../internal/streams/chunk-buffer.js";
import type { DecodeOptions } from "../../meta/options.js";
import type { RawWatchEvent } from "../../meta/watch-event.js";
import type { WatchDecoder } from "../codec.js";
import { internedSlice } from "../intern.js";
import { hooksOf, readEnvelope } from "./envelope.js";
import type { Registry } from "./registry.js";
import { decodeRoot } from "./view.js";
import { fail, position, readVarint, setSubject, skipField } from "./wire.js";

const prefixBytes = 4;

/** Creates a decoder for a watch: frames with a 4-byte big-endian length and a `WatchEvent` without an envelope. */
export function createProtobufWatchDecoder(
  registry: Registry,
  options: DecodeOptions | undefined,
  maxFrameBytes: number,
): WatchDecoder {
  const buffer = new ChunkBuffer();
  const readFrame = (events: RawWatchEvent[]): boolean => {
    if (buffer.length < prefixBytes) return false;
    const { bytes, start } = buffer;
    const length =
      bytes[start]! * 16777216 + ((bytes[start + 1]! << 16) | (bytes[start + 2]! << 8) | bytes[start + 3]!);
    setSubject("watch event", buffer.consumed - start);
    if (length > maxFrameBytes) fail(`frame of ${String(length)} bytes, longer than ${String(maxFrameBytes)}`, start);
    if (buffer.length < prefixBytes + length) return false;
    events.push(decodeEvent(bytes, start + prefixBytes, start + prefixBytes + length, registry, options));
    buffer.consumeTo(start + prefixBytes + length);
    return true;
  };
  return {
    push(chunk) {
      const events: RawWatchEvent[] = [];
      buffer.push(chunk);
      while (readFrame(events) || buffer.more());
      buffer.settle();
      return events;
    },
    end() {
      if (buffer.length === 0) return;
      const offset = buffer.consumed + buffer.length;
      throw new ProtocolError(`decode watch as Protobuf: ends inside a frame at byte ${String(offset)}`, { offset });
    },
  };
}

function decodeEvent(
  bytes: Uint8Array,
  start: number,
  end: number,
  registry: Registry,
  options: DecodeOptions | undefined,
): RawWatchEvent {
  let type = "";
  let from = -1;
  let to = -1;
  for (let p = start; p < end; ) {
    const tag = readVarint(bytes, p, end);
    const content = position;
    p = skipField(bytes, content, end, tag & 7);
    if (tag === 10)
      type = internedSlice(bytes, contentOf(bytes, content, end), p) ?? fail("invalid UTF-8 in the type", content);
    else if (tag === 18) {
      // A RawExtension message contains the object in field 1.
      for (let q = contentOf(bytes, content, end); q < p; ) {
        const rawTag = readVarint(bytes, q, p);
        const rawContent = position;
        q = skipField(bytes, rawContent, p, rawTag & 7);
        if (rawTag !== 10) continue;
        from = contentOf(bytes, rawContent, p);
        to = q;
      }
    } else if (tag >>> 3 <= 2) fail("malformed watch event", content);
  }
  if (type === "" || from < 0) fail("no event with type and object", start);
  const { apiVersion, kind, start: objectStart, end: objectEnd } = readEnvelope(bytes, from, to);
  const object = decodeRoot(
    bytes,
    objectStart,
    objectEnd,
    registry.get(apiVersion, kind),
    { kind, apiVersion },
    options,
    hooksOf(registry),
  );
  return { type, object: object };
}

function contentOf(bytes: Uint8Array, lengthStart: number, end: number): number {
  readVarint(bytes, lengthStart, end);
  return position;
}
