import { ProtocolError } from "../../errors/errors.js";
import { base64Decode } from "../../internal/base64.js";
import { unknownFieldCount, unknownFieldsOf } from "../unknown-fields.js";
import { magicBytes } from "./envelope.js";
import type { Registry } from "./registry.js";
import { parseDuration, parseTime } from "./special.js";
import { type Field, fieldKind, type MessageType } from "./table.js";
import { BackwardWriter } from "./writer.js";

type Plain = Readonly<Record<string, unknown>>;

/** Maximum nesting depth, which also stops cycles. */
const maxDepth = 500;

/** Maximum value of an int32. */
const maxInt32 = 0x7fffffff;

/**
 * Encodes one object with magic and envelope. Throws a `ProtocolError` that names the field if Protobuf can't represent
 * it.
 */
export function encodeObject(object: object, registry: Registry): Uint8Array {
  const { apiVersion = "", kind } = object as { apiVersion?: unknown; kind?: unknown };
  if (
    typeof apiVersion !== "string" ||
    typeof kind !== "string" ||
    kind === "" ||
    (apiVersion === "" && registry.find("", kind) === undefined)
  ) {
    throw new ProtocolError("encode object as Protobuf: apiVersion and kind are required");
  }
  const type = registry.get(apiVersion, kind);
  const writer = spare ?? new BackwardWriter();
  // A `toJSON` method in the object may call the encoder recursively.
  spare = undefined;
  try {
    const encoder = new Encoder(`${apiVersion} ${kind}`, writer);
    return encoder.envelope(apiVersion, kind, () => encoder.root(object as Plain, type));
  } finally {
    writer.reset();
    spare = writer;
  }
}

/** Unused writer, whose array is reused. */
let spare: BackwardWriter | undefined;

/** Writes objects and their values back to front. */
export class Encoder {
  readonly #writer: BackwardWriter;
  readonly #path: (string | number)[] = [];
  readonly #subject: string;
  #carried = 0;

  /** `subject` is the name of the object in errors. */
  constructor(subject: string, writer: BackwardWriter) {
    this.#subject = subject;
    this.#writer = writer;
  }

  /** Returns the bytes of an object whose fields `write` writes, with magic and envelope. */
  envelope(apiVersion: string, kind: string, write: () => void): Uint8Array {
    const writer = this.#writer;
    writer.varint(0);
    writer.varint(34);
    writer.varint(0);
    writer.varint(26);
    let from = writer.length;
    write();
    writer.delimit(18, from);
    from = writer.length;
    let inner = writer.length;
    writer.text(kind);
    writer.delimit(18, inner);
    inner = writer.length;
    writer.text(apiVersion);
    writer.delimit(10, inner);
    writer.delimit(10, from);
    writer.bytes(magicBytes);
    return writer.finish();
  }

  /** Writes the fields of an object. */
  root(object: Plain, type: MessageType): void {
    this.#message(object, type, true);
    if (this.#carried < unknownFieldCount(object))
      this.#fail("fields unknown to this client were lost in a copy; read the object again, or use a patch");
  }

  #fail(problem: string): never {
    const path = this.#path
      .map((part, i) => (typeof part === "number" ? `[${String(part)}]` : i === 0 ? part : `.${part}`))
      .join("");
    throw new ProtocolError(`encode ${this.#subject} as Protobuf: ${path === "" ? "" : `${path}: `}${problem}`);
  }

  /**
   * Writes the fields back to front, so that they end up in ascending order, and returns the number of known keys. For
   * an object with `inlined` fields, the outer message checks the keys.
   */
  #message(object: Plain, type: MessageType, root = false, inlined = false): number {
    if (this.#path.length > maxDepth) this.#fail("nested too deeply");
    const unknown = inlined ? undefined : unknownFieldsOf(object);
    if (unknown !== undefined) {
      this.#writer.bytes(unknown);
      this.#carried++;
    }
    let known = 0;
    for (let i = type.list.length - 1; i >= 0; i--) {
      const field = type.list[i]!;
      if (field.inline) {
        if (field.pointer && !hasSome(object, field.type.keys)) continue;
        const from = this.#writer.length;
        known += this.#message(object, field.type, false, true);
        this.#writer.delimit(field.tag, from);
      } else {
        const value = object[field.key];
        if (value !== undefined) known++;
        this.#field(field, value);
      }
    }
    // Inherited properties would count as unknown keys.
    if (!inlined && (known !== Object.keys(object).length || Object.getPrototypeOf(object) !== Object.prototype))
      this.#checkKeys(object, type, root);
    return known;
  }

  #checkKeys(object: Plain, type: MessageType, root: boolean): void {
    for (const key of Object.keys(object)) {
      if (type.keys.has(key) || object[key] === undefined) continue;
      // Go omits the type of an embedded object from Protobuf, such as the claims of a StatefulSet.
      if ((root || type.typed || isKind(type)) && (key === "apiVersion" || key === "kind")) continue;
      this.#fail(`unknown field ${key}`);
    }
  }

  #field(field: Field, value: unknown): void {
    if (value === undefined || value === null) {
      if (!field.pointer && !field.map && !field.repeated) this.zero(field);
      return;
    }
    this.#path.push(field.key);
    if (field.map) this.#map(field, value);
    else if (field.repeated) this.#list(field, value);
    else this.value(field, value);
    this.#path.pop();
  }

  #map(field: Field, value: unknown): void {
    const map = this.#object(value);
    const keys = Object.keys(map)
      .filter((key) => map[key] !== undefined)
      .sort();
    for (let i = keys.length - 1; i >= 0; i--) {
      const key = keys[i]!;
      this.#path.push(key);
      const entry = this.#writer.length;
      const from = this.#writer.length;
      const item = map[key];
      if (item === null) this.#zeroContent(field);
      else this.content(field, item);
      this.#writer.delimit(18, from);
      const keyFrom = this.#writer.length;
      this.#writer.text(key);
      this.#writer.delimit(10, keyFrom);
      this.#writer.delimit(field.tag, entry);
      this.#path.pop();
    }
  }

  #list(field: Field, value: unknown): void {
    if (value === undefined || value === null) return;
    if (!Array.isArray(value)) this.#fail("expected a list");
    for (let i = value.length - 1; i >= 0; i--) {
      this.#path.push(i);
      const item = value[i] as unknown;
      if (item === undefined || item === null) this.zero(field);
      else this.value(field, item);
      this.#path.pop();
    }
  }

  /** Writes tag and value of a field. */
  value(field: Field, value: unknown): void {
    if (field.wire === 2) {
      const from = this.#writer.length;
      this.content(field, value);
      this.#writer.delimit(field.tag, from);
      return;
    }
    if (field.kind === fieldKind.bool) {
      if (typeof value !== "boolean") this.#fail("expected true or false");
      this.#writer.varint(value ? 1 : 0);
    } else if (typeof value !== "number") this.#fail("expected a number");
    else if (field.kind === fieldKind.double) {
      if (!Number.isFinite(value)) this.#fail("expected a finite number");
      this.#writer.double(value);
    } else this.#integer(value, field.kind === fieldKind.int32);
    this.#writer.varint(field.tag);
  }

  #integer(value: number, narrow: boolean): void {
    if (!Number.isInteger(value)) this.#fail("expected an integer");
    if (narrow ? value > maxInt32 || value < -maxInt32 - 1 : value > 2 ** 63 || value < -(2 ** 63))
      this.#fail("integer out of range");
    this.#writer.int64(value);
  }

  /** Go writes a field that isn't a pointer even if it's zero. */
  zero(field: Field): void {
    if (field.kind === fieldKind.bytes || field.kind === fieldKind.strings) return;
    if (field.wire === 2) {
      const from = this.#writer.length;
      this.#zeroContent(field);
      this.#writer.delimit(field.tag, from);
      return;
    }
    if (field.kind === fieldKind.double) this.#writer.double(0);
    else this.#writer.varint(0);
    this.#writer.varint(field.tag);
  }

  #zeroContent(field: Field): void {
    if (field.kind === fieldKind.message) this.#message({}, field.type);
    else if (field.kind === fieldKind.quantity) this.#wrapped("0");
    else if (field.kind === fieldKind.intOrString) this.#intOrString(0);
    else if (field.kind === fieldKind.duration) {
      this.#writer.varint(0);
      this.#writer.varint(8);
    }
  }

  /** Writes the content of a value, without its length. */
  content(field: Field, value: unknown): void {
    switch (field.kind) {
      case fieldKind.string:
        this.#writer.text(this.#text(value));
        return;
      case fieldKind.message:
        this.#message(this.#object(value), field.type);
        return;
      case fieldKind.bytes:
        this.#writer.bytes(base64Decode(this.#text(value)) ?? this.#fail("expected base64"));
        return;
      case fieldKind.time:
      case fieldKind.microTime:
        this.#time(this.#text(value), field.kind === fieldKind.microTime);
        return;
      case fieldKind.duration: {
        const nanoseconds = parseDuration(this.#text(value)) ?? this.#fail("expected a duration");
        this.#writer.int64(nanoseconds);
        this.#writer.varint(8);
        return;
      }
      case fieldKind.quantity:
        this.#wrapped(typeof value === "number" ? String(value) : this.#text(value));
        return;
      case fieldKind.intOrString:
        this.#intOrString(value);
        return;
      case fieldKind.strings:
        if (!Array.isArray(value)) this.#fail("expected a list");
        for (let i = value.length - 1; i >= 0; i--) this.#wrapped(this.#text(value[i]));
        return;
      case fieldKind.fields:
      case fieldKind.raw:
      case fieldKind.json:
        this.#wrapped(this.#json(value));
        return;
      default:
        this.#schemaOr(field, value);
    }
  }

  /** Writes a message whose only field, 1, is a string. */
  #wrapped(text: string): void {
    const from = this.#writer.length;
    this.#writer.text(text);
    this.#writer.delimit(10, from);
  }

  #json(value: unknown): string {
    try {
      return JSON.stringify(value);
    } catch (cause) {
      throw new ProtocolError(`encode ${this.#subject} as Protobuf: a value that JSON cannot represent`, { cause });
    }
  }

  #intOrString(value: unknown): void {
    const isText = typeof value === "string";
    if (!isText && typeof value !== "number") this.#fail("expected a number or a text");
    const from = this.#writer.length;
    if (isText) this.#writer.text(value);
    this.#writer.delimit(26, from);
    if (isText) this.#writer.varint(0);
    else this.#integer(value, true);
    this.#writer.varint(16);
    this.#writer.varint(isText ? 1 : 0);
    this.#writer.varint(8);
  }

  #time(text: string, micro: boolean): void {
    const time = parseTime(text) ?? this.#fail("expected a time as 2006-01-02T15:04:05Z");
    this.#writer.varint(micro ? Math.floor(time.nanos / 1000) * 1000 : 0);
    this.#writer.varint(16);
    this.#writer.int64(time.seconds);
    this.#writer.varint(8);
  }

  #schemaOr(field: Field, value: unknown): void {
    const [first, second] = field.type.list as [Field, Field];
    const schema = first.kind === fieldKind.message && !first.repeated ? first : second;
    const other = schema === first ? second : first;
    if (Array.isArray(value)) {
      if (field.kind === fieldKind.orBool) this.#fail("expected true, false or a schema");
      this.#list(other, value);
    } else if (typeof value === "boolean") {
      if (field.kind !== fieldKind.orBool) this.#fail("expected a schema or a list");
      this.value(other, value);
    } else {
      this.value(schema, this.#object(value));
      // Go decodes a schema as allowed, and writes it that way.
      if (field.kind === fieldKind.orBool) this.value(other, true);
    }
  }

  #text(value: unknown): string {
    return typeof value === "string" ? value : this.#fail("expected a text");
  }

  #object(value: unknown): Plain {
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Plain)
      : this.#fail("expected an object");
  }
}

function hasSome(object: Plain, keys: Iterable<string>): boolean {
  for (const key of keys) if (object[key] !== undefined && object[key] !== null) return true;
  return false;
}

function isKind(type: MessageType): boolean {
  return type.keys.has("metadata") && type.keys.has("status");
}
