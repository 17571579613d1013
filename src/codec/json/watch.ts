import { ProtocolError } from "../../errors/errors.js";
import { ChunkBuffer } from "../../internal/streams/chunk-buffer.js";
import { indexOfByte } from "../../internal/text.js";
import type { DecodeOptions } from "../../meta/options.js";
import type { RawWatchEvent } from "../../meta/watch-event.js";
import type { WatchDecoder } from "../codec.js";
import { applyDecodeOptions } from "../decode-options.js";
import { internedSlice } from "../intern.js";
import { BoundaryScanner } from "./boundary.js";
import { jsonError, mayBecomeJson } from "./locate-error.js";
import { needsParts, tryDecodeJsonObject } from "./object.js";
import { tryParseJson } from "./parse.js";
import { skipSpace, startsWithBytes } from "./scan.js";

const beforeType = new TextEncoder().encode('{"type":"');
const beforeObject = new TextEncoder().encode('","object":');

/** Creates a decoder that splits a watch into events and decodes them. */
export function createJsonWatchDecoder(options: DecodeOptions | undefined, maxFrameBytes: number): WatchDecoder {
  return new JsonWatchDecoder(options, maxFrameBytes);
}

/**
 * Servers end every event with a line feed and never write one inside an event, so events are split at line feeds. A
 * split is correct if the event parses. If one doesn't, or if an event ends without a line feed, its end is found by
 * counting brackets.
 *
 * White space between events, empty lines included, means nothing, as between any JSON values. No kube-apiserver sends
 * it, but a server or proxy may use it to keep a connection busy, and no network turns an event into an empty line.
 */
class JsonWatchDecoder implements WatchDecoder {
  readonly #options: DecodeOptions | undefined;
  readonly #maxFrameBytes: number;
  readonly #buffer = new ChunkBuffer();
  readonly #scanner = new BoundaryScanner();
  /** Number of bytes of the current event that were searched for a line feed, and that the scanner has covered. */
  #searched = 0;
  #scanned = 0;
  /** True while line feeds have only occurred between events. */
  #lines = true;
  /** Length of the current event at which to check whether it can still become valid. */
  #doubtAt = 0;

  constructor(options: DecodeOptions | undefined, maxFrameBytes: number) {
    this.#options = needsParts(options) ? options : undefined;
    this.#maxFrameBytes = maxFrameBytes;
  }

  push(chunk: Uint8Array): readonly RawWatchEvent[] {
    const events: RawWatchEvent[] = [];
    this.#buffer.push(chunk);
    while (this.#read(events) || this.#buffer.more());
    this.#buffer.settle();
    return events;
  }

  end(): void {
    const buffer = this.#buffer;
    if (skipSpace(buffer.bytes, buffer.start, buffer.end) < buffer.end) this.#fail("ends inside an event", buffer.end);
  }

  #read(events: RawWatchEvent[]): boolean {
    const buffer = this.#buffer;
    if (this.#searched === 0 && this.#scanned === 0) {
      buffer.consumeTo(skipSpace(buffer.bytes, buffer.start, buffer.end));
      if (buffer.length === 0) return false;
      if (buffer.bytes[buffer.start] !== 0x7b) this.#fail("expected an event", buffer.start);
    }
    const { bytes, start, end } = buffer;
    if (this.#lines) {
      const lineFeed = indexOfByte(bytes, 0x0a, start + this.#searched, end);
      if (lineFeed >= 0) {
        if (lineFeed - start > this.#maxFrameBytes) this.#tooLong(start);
        const event = this.#decode(bytes, start, lineFeed);
        if (event !== undefined) return this.#take(events, event, lineFeed + 1);
        this.#lines = false;
        this.#doubtAt = 0;
      }
      this.#searched = end - start;
    }
    // Only a brace can end an event, so skip the scan until there is one.
    if (this.#lines && bytes[end - 1] !== 0x7d) {
      if (end - start > this.#maxFrameBytes) this.#tooLong(start);
      return false;
    }
    const after = this.#scanner.scan(bytes, start + this.#scanned, end);
    this.#scanned = end - start;
    if ((after < 0 ? end : after) - start > this.#maxFrameBytes) this.#tooLong(start);
    if (after < 0) {
      this.#doubt(bytes, start, end);
      return false;
    }
    const event = this.#decode(bytes, start, after);
    if (event !== undefined) return this.#take(events, event, after);
    if (tryParseJson(bytes, start, after) !== undefined) this.#fail("expected an event with type and object", start);
    throw jsonError(bytes, start, after, "watch event", buffer.consumed);
  }

  /**
   * Throws if a line isn't an event and further lines can't complete it. Otherwise an event that was cut off would
   * swallow all following ones.
   */
  #doubt(bytes: Uint8Array, start: number, end: number): void {
    if (this.#lines || end - start < this.#doubtAt) return;
    if (!mayBecomeJson(bytes, start, end)) throw jsonError(bytes, start, end, "watch event", this.#buffer.consumed);
    // Check rarely enough that the total time grows linearly with the length.
    this.#doubtAt = (end - start) * 1.5;
  }

  #take(events: RawWatchEvent[], event: RawWatchEvent, end: number): boolean {
    events.push(event);
    this.#buffer.consumeTo(end);
    this.#searched = this.#scanned = this.#doubtAt = 0;
    this.#scanner.reset();
    return true;
  }

  #decode(bytes: Uint8Array, start: number, end: number): RawWatchEvent | undefined {
    if (this.#options !== undefined) {
      const event = decodeInParts(bytes, start, bytes[end - 1] === 0x0d ? end - 1 : end, this.#options);
      if (event !== undefined) return event;
    }
    const value = tryParseJson(bytes, start, end) as { type?: unknown; object?: unknown } | null | undefined;
    if (typeof value !== "object" || value === null) return undefined;
    const { type, object } = value;
    if (typeof type !== "string" || typeof object !== "object" || object === null || Array.isArray(object))
      return undefined;
    return { type, object: applyDecodeOptions(object, this.#options) };
  }

  #tooLong(start: number): never {
    return this.#fail(`event is longer than ${String(this.#maxFrameBytes)} bytes`, start);
  }

  #fail(problem: string, at: number): never {
    const offset = this.#buffer.consumed + at - this.#buffer.start;
    throw new ProtocolError(`decode watch as JSON: ${problem} at byte ${String(offset)}`, { offset });
  }
}

/** Decodes an event that consists of exactly a type and an object. Returns `undefined` for any other format. */
function decodeInParts(
  bytes: Uint8Array,
  start: number,
  end: number,
  options: DecodeOptions,
): RawWatchEvent | undefined {
  const typeStart = start + beforeType.length;
  if (!startsWithBytes(bytes, start, beforeType)) return undefined;
  let typeEnd = typeStart;
  while (typeEnd < end && bytes[typeEnd]! >= 0x41 && bytes[typeEnd]! <= 0x5a) typeEnd++;
  if (!startsWithBytes(bytes, typeEnd, beforeObject) || bytes[end - 1] !== 0x7d) return undefined;
  const objectStart = typeEnd + beforeObject.length;
  if (objectStart >= end - 1) return undefined;
  const object = tryDecodeJsonObject(bytes, objectStart, end - 1, options);
  return object === undefined ? undefined : { type: internedSlice(bytes, typeStart, typeEnd) ?? "", object };
}
