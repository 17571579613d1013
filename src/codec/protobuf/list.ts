import { ProtocolError } from "../../errors/errors.js";
import { ChunkBuffer } from "../../internal/chunk-buffer.js";
import type { DecodeOptions } from "../../meta/options.js";
import type { ListDecoder } from "../codec.js";
import { beginObject, decodeMessage } from "./decode.js";
import { checkContent, checkMagic, hooksOf, MAGIC_LENGTH, readTypeMeta } from "./envelope.js";
import type { Registry } from "./registry.js";
import { emptyObject, type Field, KIND, type MessageType } from "./table.js";
import { decodeRoot, partialType } from "./view.js";
import { fail, readVarint, setSubject, skipField } from "./wire.js";

/** Where in the body the next byte belongs. */
type Stage = "magic" | "envelope" | "list";

/** Decodes a list as it arrives: every item as soon as its last byte is there. */
export function createProtobufListDecoder(registry: Registry, options: DecodeOptions | undefined): ListDecoder {
  const buffer = new ChunkBuffer();
  const hooks = hooksOf(registry);
  const list: Record<string, unknown> = {};
  let stage: Stage = "magic";
  let subject = "list";
  let apiVersion = "";
  let kind = "";
  let type: MessageType | undefined;
  let itemsField: Field | undefined;
  /** Offset in the stream after the list's own bytes. */
  let listEnd = 0;

  /** Reads the tag and, if it is all there, the extent of the field at `start`. Answers with its end, or -1. */
  const extent = (start: number): number => {
    const { bytes, end } = buffer;
    const tagEnd = varintEnd(bytes, start, end);
    if (tagEnd < 0) return -1;
    const wire = bytes[start]! & 7;
    if (wire !== 2)
      return wire === 0
        ? varintEnd(bytes, tagEnd, end)
        : wire === 1 || wire === 5
          ? end - tagEnd < 8
            ? -1
            : skipField(bytes, tagEnd, end, wire)
          : fail(`wire type ${String(wire)}`, start);
    const lengthEnd = varintEnd(bytes, tagEnd, end);
    if (lengthEnd < 0) return -1;
    const length = readVarint(bytes, tagEnd, end);
    contentStart = lengthEnd;
    return lengthEnd + length;
  };
  let contentStart = 0;

  const readEnvelopeField = (): boolean => {
    const { bytes, start, end } = buffer;
    const fieldEnd = extent(start);
    if (fieldEnd < 0) return false;
    const tag = bytes[start]!;
    if (tag === 18) {
      if (listEnd > 0) fail("two contents", start);
      if (kind === "") fail("content before its kind", start);
      buffer.consumeTo(contentStart);
      listEnd = buffer.consumed + (fieldEnd - contentStart);
      type = registry.get(apiVersion, kind);
      subject = `${apiVersion} ${kind}`;
      itemsField = type.list.find(
        (field) => field.key === "items" && field.repeated && (field.kind === KIND.message || field.kind === KIND.raw),
      );
      if (itemsField === undefined) fail(`${kind}, which is no list,`, start);
      stage = "list";
      return true;
    }
    if (fieldEnd > end) return false;
    if (tag === 10) ({ apiVersion, kind } = readTypeMeta(bytes, contentStart, fieldEnd));
    else if (tag === 26 || tag === 34) checkContent(bytes, contentStart, fieldEnd, tag >> 3);
    else if (tag >> 3 <= 4) fail("malformed envelope", start);
    buffer.consumeTo(fieldEnd);
    return true;
  };

  const readListField = (items: object[]): boolean => {
    if (buffer.consumed === listEnd) {
      stage = "envelope";
      return buffer.length > 0;
    }
    const { bytes, start, end } = buffer;
    const fieldEnd = extent(start);
    if (fieldEnd < 0) return false;
    if (buffer.consumed + fieldEnd - start > listEnd) fail("length beyond the end of the list", start);
    if (fieldEnd > end) return false;
    const tag = readVarint(bytes, start, end);
    if (tag !== itemsField!.tag) {
      beginObject("keep", hooks);
      decodeMessage(bytes, start, fieldEnd, partialType(type!), list);
    } else if (itemsField!.kind === KIND.message)
      items.push(
        decodeRoot(bytes, contentStart, fieldEnd, itemsField!.type, emptyObject(itemsField!.type), options, hooks),
      );
    else {
      beginObject("keep", hooks);
      const one: Record<string, unknown> = {};
      decodeMessage(bytes, start, fieldEnd, partialType(type!), one);
      items.push(...(one["items"] as object[]));
    }
    buffer.consumeTo(fieldEnd);
    return true;
  };

  return {
    push(chunk) {
      const items: object[] = [];
      buffer.push(chunk);
      for (;;) {
        setSubject(subject, buffer.consumed - buffer.start);
        if (stage === "magic") {
          if (buffer.length < MAGIC_LENGTH) {
            if (buffer.more()) continue;
            break;
          }
          checkMagic(buffer.bytes, buffer.start, buffer.end);
          buffer.consumeTo(buffer.start + MAGIC_LENGTH);
          stage = "envelope";
        }
        if (buffer.length === 0) break;
        if (!(stage === "envelope" ? readEnvelopeField() : readListField(items)) && !buffer.more()) break;
      }
      buffer.settle();
      return items;
    },
    end() {
      const whole = buffer.length === 0 && type !== undefined && (stage === "envelope" || buffer.consumed === listEnd);
      if (!whole)
        throw new ProtocolError(
          `decode ${subject} as Protobuf: ends too early at byte ${String(buffer.consumed + buffer.length)}`,
          { offset: buffer.consumed + buffer.length },
        );
      return { items: [], apiVersion, kind, metadata: list["metadata"] ?? {} };
    },
  };
}

/** Offset after the varint at `start`, or -1 if it is not all there. */
function varintEnd(bytes: Uint8Array, start: number, end: number): number {
  for (let p = start; p < end; p++) {
    if (bytes[p]! < 128) return p + 1;
    if (p - start >= 9) fail("number too long", start);
  }
  return -1;
}
