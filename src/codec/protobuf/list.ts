import { ProtocolError } from "../../errors/errors.js";
import { pushAll } from "../../internal/push-all.js";
import { ChunkBuffer } from "../../internal/streams/chunk-buffer.js";
import type { DecodeOptions } from "../../meta/options.js";
import type { ListDecoder } from "../codec.js";
import { listEnd, SteppedListDecoder } from "../list-driver.js";
import { beginObject, decodeMessage } from "./decode.js";
import type { DecodeHooks } from "./decode-hooks.js";
import { checkContent, checkMagic, hooksOf, magicLength, readTypeMeta } from "./envelope.js";
import type { Registry } from "./registry.js";
import { emptyObject, type Field, fieldKind, type MessageType } from "./table.js";
import { decodeRoot, partialType } from "./view.js";
import { fail, readVarint, setSubject, skipField } from "./wire.js";

/** Creates a decoder that returns every item as soon as its last byte has arrived. */
export function createProtobufListDecoder(registry: Registry, options: DecodeOptions | undefined): ListDecoder {
  return new ProtobufListDecoder(registry, options);
}

class ProtobufListDecoder extends SteppedListDecoder {
  protected override readonly stream: ChunkBuffer = new ChunkBuffer();
  readonly #registry: Registry;
  readonly #options: DecodeOptions | undefined;
  readonly #hooks: DecodeHooks;
  /** Fields of the list other than its items. */
  readonly #list: Record<string, unknown> = {};
  /** Part of the body that the next byte belongs to. */
  #stage: "magic" | "envelope" | "list" = "magic";
  #subject = "list";
  #apiVersion = "";
  #kind = "";
  #type: MessageType | undefined;
  #itemsField: Field | undefined;
  /** Offset in the stream after the list's own bytes. */
  #listEnd = 0;
  /** Offset of the content of the field that `#extent` measured. */
  #contentStart = 0;

  constructor(registry: Registry, options: DecodeOptions | undefined) {
    super();
    this.#registry = registry;
    this.#options = options;
    this.#hooks = hooksOf(registry);
  }

  override end(): ReturnType<ListDecoder["end"]> {
    const { consumed, length } = this.stream;
    const whole =
      length === 0 && this.#type !== undefined && (this.#stage === "envelope" || consumed === this.#listEnd);
    if (!whole) {
      const offset = consumed + length;
      throw new ProtocolError(`decode ${this.#subject} as Protobuf: ends too early at byte ${String(offset)}`, {
        offset,
      });
    }
    return listEnd({ apiVersion: this.#apiVersion, kind: this.#kind, metadata: this.#list["metadata"] });
  }

  protected override step(items: object[]): boolean {
    const { stream } = this;
    setSubject(this.#subject, stream.consumed - stream.start);
    if (this.#stage === "magic") return this.#readMagic();
    if (stream.length === 0) return false;
    return this.#stage === "envelope" ? this.#readEnvelopeField() : this.#readListField(items);
  }

  #readMagic(): boolean {
    const { stream } = this;
    if (stream.length < magicLength) return false;
    checkMagic(stream.bytes, stream.start, stream.end);
    stream.consumeTo(stream.start + magicLength);
    this.#stage = "envelope";
    return true;
  }

  /**
   * Reads the tag and the length of the field at `start`. Returns the offset after the field, or -1 if they are
   * incomplete.
   */
  #extent(start: number): number {
    const { bytes, end } = this.stream;
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
    this.#contentStart = lengthEnd;
    return lengthEnd + length;
  }

  #readEnvelopeField(): boolean {
    const { stream } = this;
    const { bytes, start, end } = stream;
    const fieldEnd = this.#extent(start);
    if (fieldEnd < 0) return false;
    const tag = bytes[start]!;
    if (tag === 18) {
      this.#beginList(fieldEnd);
      return true;
    }
    if (fieldEnd > end) return false;
    if (tag === 10) {
      const { apiVersion, kind } = readTypeMeta(bytes, this.#contentStart, fieldEnd);
      this.#apiVersion = apiVersion;
      this.#kind = kind;
    } else if (tag === 26 || tag === 34) checkContent(bytes, this.#contentStart, fieldEnd, tag >> 3);
    else if (tag >> 3 <= 4) fail("malformed envelope", start);
    stream.consumeTo(fieldEnd);
    return true;
  }

  #beginList(fieldEnd: number): void {
    const { stream } = this;
    const { start } = stream;
    const [apiVersion, kind] = [this.#apiVersion, this.#kind];
    if (this.#listEnd > 0) fail("two contents", start);
    if (kind === "") fail("content before its kind", start);
    stream.consumeTo(this.#contentStart);
    this.#listEnd = stream.consumed + (fieldEnd - this.#contentStart);
    this.#type = this.#registry.get(apiVersion, kind);
    this.#subject = `${apiVersion} ${kind}`;
    this.#itemsField = this.#type.list.find(
      (field) =>
        field.key === "items" && field.repeated && (field.kind === fieldKind.message || field.kind === fieldKind.raw),
    );
    if (this.#itemsField === undefined) fail(`${kind}, which is no list,`, start);
    this.#stage = "list";
  }

  #readListField(items: object[]): boolean {
    const { stream } = this;
    if (stream.consumed === this.#listEnd) {
      this.#stage = "envelope";
      return stream.length > 0;
    }
    const { bytes, start, end } = stream;
    const fieldEnd = this.#extent(start);
    if (fieldEnd < 0) return false;
    if (stream.consumed + fieldEnd - start > this.#listEnd) fail("length beyond the end of the list", start);
    if (fieldEnd > end) return false;
    const field = this.#itemsField!;
    const contentStart = this.#contentStart;
    if (readVarint(bytes, start, end) !== field.tag) this.#decodeField(start, fieldEnd, this.#list);
    else if (field.kind === fieldKind.message)
      items.push(
        decodeRoot(bytes, contentStart, fieldEnd, field.type, emptyObject(field.type), this.#options, this.#hooks),
      );
    else {
      const one: Record<string, unknown> = {};
      this.#decodeField(start, fieldEnd, one);
      pushAll(items, one["items"] as object[]);
    }
    stream.consumeTo(fieldEnd);
    return true;
  }

  #decodeField(start: number, end: number, target: Record<string, unknown>): void {
    beginObject("keep", this.#hooks);
    decodeMessage(this.stream.bytes, start, end, partialType(this.#type!), target);
  }
}

/** Returns the offset after the varint at `start`, or -1 if it's incomplete. */
function varintEnd(bytes: Uint8Array, start: number, end: number): number {
  for (let p = start; p < end; p++) {
    if (bytes[p]! < 128) return p + 1;
    if (p - start >= 9) fail("number too long", start);
  }
  return -1;
}
