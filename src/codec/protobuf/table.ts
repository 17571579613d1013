import type { ProtobufSchema } from "../../gen/proto/schema.js";

/** Numbers of the kinds: the decoder switches over them. */
export const KIND = {
  string: 0,
  bool: 1,
  int32: 2,
  int64: 3,
  double: 4,
  bytes: 5,
  message: 6,
  time: 7,
  microTime: 8,
  duration: 9,
  quantity: 10,
  intOrString: 11,
  fields: 12,
  raw: 13,
  json: 14,
  orArray: 15,
  orBool: 16,
  orStrings: 17,
  strings: 18,
} as const;

/** What the decoder does with a field: it branches once for each. */
export const FORM = { text: 0, message: 1, number: 2, list: 3, map: 4, inline: 5, managed: 6, other: 7 } as const;

const ORDER = "sbildymTMDQIFRJABCL";

const SCALAR_WIRES: Readonly<Record<number, number>> = {
  [KIND.double]: 1,
  [KIND.bool]: 0,
  [KIND.int32]: 0,
  [KIND.int64]: 0,
};

/** One field of a message. */
export class Field {
  /** Field number. */
  readonly number: number;
  /** One of `KIND`. */
  readonly kind: number;
  /** Wire type of one value: 0 varint, 1 eight bytes, 2 length-delimited. */
  readonly wire: number;
  /** Name in JSON; `""` for inlined messages. */
  readonly key: string;
  /** A list. */
  readonly repeated: boolean;
  /** A map from strings. */
  readonly map: boolean;
  /** A pointer in Go: absent is told from zero. */
  readonly pointer: boolean;
  /** Left out of JSON when it is zero. */
  readonly omitEmpty: boolean;
  /** Left out of JSON when its struct is zero. */
  readonly omitZero: boolean;
  /** The fields of the message stand in the object that holds it. */
  readonly inline: boolean;
  /** `ObjectMeta.managedFields`. */
  readonly managed: boolean;
  /** One of `FORM`. */
  readonly form: number;
  /** Bit in the message's `required`; 0 for a field that may be absent in JSON. */
  bit = 0;
  /** Whether its bytes are worth keeping until they are asked for. */
  readonly deferred: boolean;
  /** Makes an empty map of this field. */
  readonly Shape: Shape = createShape(0);
  /** Tag of the field with its usual wire type. */
  readonly tag: number;
  /** Length of the tag in bytes. */
  readonly tagLength: number;
  readonly #schema: ProtobufSchema;
  readonly #target: string;
  #type: MessageType | undefined = undefined;

  /** Made of one part of a table's line; `owner` is the message it belongs to. */
  constructor(text: string, owner: string, schema: ProtobufSchema) {
    const [, number, letter, flags, key, target] = /^(\d+)([A-Za-z])([*?0[{^]*):([^=]*)=?(.*)$/.exec(text)!;
    this.number = Number(number);
    this.kind = ORDER.indexOf(letter!);
    this.key = key!;
    this.repeated = flags!.includes("[");
    this.map = flags!.includes("{");
    this.pointer = flags!.includes("*");
    this.omitEmpty = flags!.includes("?");
    this.omitZero = flags!.includes("0");
    this.inline = flags!.includes("^");
    this.managed = owner === "ObjectMeta" && key === "managedFields";
    this.wire = this.map ? 2 : (SCALAR_WIRES[this.kind] ?? 2);
    this.tag = this.number * 8 + this.wire;
    this.tagLength = this.tag < 128 ? 1 : this.tag < 16384 ? 2 : 3;
    this.form = this.managed
      ? FORM.managed
      : this.map
        ? FORM.map
        : this.repeated
          ? FORM.list
          : this.wire !== 2
            ? FORM.number
            : this.kind === KIND.message
              ? this.inline
                ? FORM.inline
                : FORM.message
              : this.kind === KIND.string
                ? FORM.text
                : FORM.other;
    this.deferred =
      this.wire === 2 &&
      !this.inline &&
      key !== "metadata" &&
      (this.map || this.repeated || this.kind === KIND.message || this.kind === KIND.raw);
    this.#schema = schema;
    this.#target = target!;
  }

  /** The message that the field holds; resolved at the first use, as messages may hold each other. */
  get type(): MessageType {
    return (this.#type ??= resolve(this.#schema, this.#target));
  }
}

function resolve(schema: ProtobufSchema, target: string): MessageType {
  const dot = target.indexOf(".");
  return dot < 0
    ? messageOf(schema, target)
    : messageOf(schema.imports[Number(target.slice(0, dot))]!, target.slice(dot + 1));
}

/** Makes empty plain objects. */
type Shape = new () => Record<string, unknown>;

/**
 * Each message has a constructor of its own: V8 learns how many properties its objects get and makes room for them, where
 * `{}` has room for four. What comes out is a plain object.
 */
export function createShape(fields: number): Shape {
  // V8 begins with room for eight more than a constructor seems to assign, and takes back what its first objects leave free.
  function Few(this: unknown): void {}
  function Many(this: Record<string, unknown>, never?: boolean): void {
    if (never !== true) return;
    this["a"] = this["b"] = this["c"] = this["d"] = this["e"] = this["f"] = this["g"] = this["h"] = undefined;
    this["i"] = this["j"] = this["k"] = this["l"] = this["m"] = this["n"] = this["o"] = this["p"] = undefined;
  }
  const Shape = fields > 8 ? Many : Few;
  Shape.prototype = Object.prototype;
  return Shape as unknown as Shape;
}

/** One message. A class: objects with a getter of their own would each have a slow shape of their own. */
export class MessageType {
  /** Name without package. */
  readonly name: string;
  /** The fields in ascending order of their numbers. */
  readonly list: readonly Field[];
  /** The fields by number. */
  readonly fields: readonly (Field | undefined)[];
  /** Bits of the fields that stand in JSON even if they are zero. */
  readonly required: number;
  /** Whether its objects name their kind also inside a list. */
  readonly typed: boolean;
  /** Makes an empty object. */
  readonly Shape: Shape;
  #keys: ReadonlySet<string> | undefined;

  /** Fields in ascending order, and the bits of those that are required. */
  constructor(name: string, list: readonly Field[], required: number, typed: boolean) {
    this.name = name;
    this.list = list;
    const fields: (Field | undefined)[] = [];
    for (const field of list) {
      while (fields.length < field.number) fields.push(undefined);
      fields.push(field);
    }
    this.fields = fields;
    this.required = required;
    this.typed = typed;
    this.Shape = createShape(list.length);
  }

  /** JSON names of all fields, those of inlined messages too. */
  get keys(): ReadonlySet<string> {
    return (this.#keys ??= new Set(this.list.flatMap((field) => (field.inline ? [...field.type.keys] : [field.key]))));
  }
}

/** A new object for a message inside another. */
export function emptyObject(type: MessageType): Record<string, unknown> {
  return type.typed ? { kind: type.name, apiVersion: "meta.k8s.io/v1" } : new type.Shape();
}

/** Reads the text of a table when a message of it is asked for, and each message when it is used. */
class Table {
  readonly #schema: ProtobufSchema;
  #lines: Map<string, string> | undefined;
  readonly #types = new Map<string, MessageType>();

  constructor(schema: ProtobufSchema) {
    this.#schema = schema;
  }

  get(name: string): MessageType {
    let type = this.#types.get(name);
    if (type === undefined) {
      this.#lines ??= new Map(this.#schema.messages.split("\n").map((line) => line.split("|", 2) as [string, string]));
      const text = this.#lines.get(name);
      if (text === undefined) throw new RangeError(`no message ${name} in ${this.#schema.name}`);
      type = parseMessage(name, text, this.#schema);
      this.#types.set(name, type);
    }
    return type;
  }
}

const tables = new WeakMap<ProtobufSchema, Table>();

/** The message of a table, by its name. Throws a `RangeError` if it has none. */
export function messageOf(schema: ProtobufSchema, name: string): MessageType {
  let table = tables.get(schema);
  if (table === undefined) tables.set(schema, (table = new Table(schema)));
  return table.get(name);
}

function parseMessage(name: string, text: string, schema: ProtobufSchema): MessageType {
  const list = (text === "" ? [] : text.split(";")).map((part) => new Field(part, name, schema));
  let bit = 1;
  let required = 0;
  for (const field of list) {
    if (!isRequired(field)) continue;
    if (bit === 0) throw new RangeError(`${name} has more than 32 required fields`);
    field.bit = bit;
    required |= bit;
    bit <<= 1;
  }
  return new MessageType(name, list, required, name === "PartialObjectMetadata");
}

/** Go writes a value that is no pointer even if it is zero, and null for a pointer; `omitempty` has no effect on its structs. */
function isRequired(field: Field): boolean {
  if (field.omitZero) return false;
  if (field.pointer || field.repeated || field.map) return !field.omitEmpty && !field.inline;
  const struct = [
    KIND.message,
    KIND.time,
    KIND.microTime,
    KIND.quantity,
    KIND.intOrString,
    KIND.raw,
  ] as readonly number[];
  return struct.includes(field.kind) || !field.omitEmpty;
}
