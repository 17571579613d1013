import { Encoder } from "../../codec/protobuf/encode.js";
import { createRegistry } from "../../codec/protobuf/registry.js";
import { type Field, fieldKind, type MessageType } from "../../codec/protobuf/table.js";
import { BackwardWriter } from "../../codec/protobuf/writer.js";
import { ProtocolError } from "../../errors/errors.js";
import { allSchemas } from "../../gen/proto/all.js";
import { holdsJson, JsonIndex, notIndexable } from "./json-index.js";

/** Type of an object, which its text doesn't contain. */
export interface ObjectType {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Encodes an object with magic and envelope from its JSON text, without parsing it into objects. Returns `undefined` for
 * a text that needs them: one that `JSON.stringify` didn't write, or with fields or values that Protobuf can't represent.
 */
export function protobufFromJson(json: string, type: ObjectType): Uint8Array | undefined {
  try {
    return new TextEncoding(type).encode(json);
  } catch (error) {
    if (error === notIndexable || error instanceof ProtocolError || error instanceof SyntaxError) return undefined;
    throw error;
  } finally {
    writer.reset();
    index.clear();
  }
}

const registry = createRegistry(allSchemas);
const writer = new BackwardWriter();
const index = new JsonIndex();

/** Encodes one text. Writes back to front, as the encoder of objects does, whose values and zeros these are. */
class TextEncoding {
  readonly #encoder: Encoder;
  readonly #objectType: ObjectType;
  readonly #type: MessageType;

  constructor(objectType: ObjectType) {
    const { apiVersion, kind } = objectType;
    this.#objectType = objectType;
    this.#type = registry.get(apiVersion, kind);
    this.#encoder = new Encoder(`${apiVersion} ${kind}`, writer);
  }

  encode(json: string): Uint8Array {
    const fields = index.read(json, this.#type);
    const { apiVersion, kind } = this.#objectType;
    return this.#encoder.envelope(apiVersion, kind, () => this.#message(this.#type, fields));
  }

  #message(type: MessageType, fields: number): void {
    for (let i = type.list.length - 1; i >= 0; i--) {
      const field = type.list[i]!;
      const place = fields + 2 * i;
      const given = fields === 0 ? 0 : index.places[place]!;
      const from = writer.length;
      if (given < 0) writer.bytes(index.known[-given - 1]!);
      else if (field.inline) {
        if (given !== 0 || !field.pointer) this.#nested(field, given);
      } else if (field.map) this.#map(field, given);
      else if (field.repeated) this.#list(field, given);
      else if (given !== 0) this.#value(field, place);
      else if (!field.pointer) this.#encoder.zero(field);
      if (given > 0 && index.wanted.size > 0) this.#keep(place, from);
    }
  }

  /** Keeps the encoding of a field if it may be repeated. */
  #keep(place: number, from: number): void {
    const wanted = index.wanted.get(place);
    if (wanted !== undefined) wanted.repeats.add(index.text.slice(wanted.start, wanted.end), writer.since(from));
  }

  #nested(field: Field, fields: number): void {
    const from = writer.length;
    this.#message(field.type, fields);
    writer.delimit(field.tag, from);
  }

  #list(field: Field, last: number): void {
    for (let item = last; item !== 0; item = index.places[item]!) {
      if (index.places[item + 1] === 0) this.#encoder.zero(field);
      else this.#value(field, item + 1);
    }
  }

  #map(field: Field, last: number): void {
    const items: { readonly key: string; readonly place: number }[] = [];
    for (let item = last; item !== 0; item = index.places[item]!)
      items.push({ key: this.#parsed(item + 1) as string, place: item + 3 });
    items.sort((a, b) => (a.key < b.key ? 1 : -1));
    for (const { key, place } of items) {
      const from = writer.length;
      this.#content(field, place);
      writer.delimit(18, from);
      const keyFrom = writer.length;
      writer.text(key);
      writer.delimit(10, keyFrom);
      writer.delimit(field.tag, from);
    }
  }

  #value(field: Field, place: number): void {
    if (field.wire === 2) {
      const from = writer.length;
      this.#content(field, place);
      writer.delimit(field.tag, from);
    } else this.#encoder.value(field, this.#parsed(place));
  }

  /** Writes the content of a value, without its length. */
  #content(field: Field, place: number): void {
    if (field.kind === fieldKind.message) this.#message(field.type, index.places[place]!);
    else if (holdsJson(field)) {
      const from = writer.length;
      writer.text(index.text.slice(index.places[place], Math.abs(index.places[place + 1]!)));
      writer.delimit(10, from);
    } else this.#encoder.content(field, this.#parsed(place));
  }

  #parsed(place: number): unknown {
    const start = index.places[place]!;
    const end = index.places[place + 1]!;
    if (end > 0 && index.text.charCodeAt(start) === 34) return index.text.slice(start + 1, end - 1);
    return JSON.parse(index.text.slice(start, Math.abs(end)));
  }
}
