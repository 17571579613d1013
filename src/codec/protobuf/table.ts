import type { ProtobufSchema } from "../../gen/protobuf-schema.js";

/** Numbers of the field kinds, for `switch` statements. */
export const fieldKind = {
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

/** Action of the decoder for a field, so that it branches only once per field. */
export const fieldForm = {
  text: 0,
  message: 1,
  number: 2,
  list: 3,
  map: 4,
  inline: 5,
  managed: 6,
  other: 7,
  shared: 8,
} as const;

const fieldKindLetters = "sbildymTMDQIFRJABCL";

const scalarWires: Readonly<Record<number, number>> = {
  [fieldKind.double]: 1,
  [fieldKind.bool]: 0,
  [fieldKind.int32]: 0,
  [fieldKind.int64]: 0,
};

/** Field of a message. */
export class Field {
  /** Field number. */
  readonly number: number;
  /** One of `fieldKind`. */
  readonly kind: number;
  /** Wire type of one value: 0 varint, 1 eight bytes, 2 length-delimited. */
  readonly wire: number;
  /** Name in JSON; `""` for inlined messages. */
  readonly key: string;
  /** True for a list. */
  readonly repeated: boolean;
  /** True for a map with string keys. */
  readonly map: boolean;
  /** True for a pointer in Go, which distinguishes absent from zero. */
  readonly pointer: boolean;
  /** True if JSON omits the field when it's zero. */
  readonly omitEmpty: boolean;
  /** True if JSON omits the field when its struct is zero. */
  readonly omitZero: boolean;
  /** True if the fields of the message belong to the enclosing object. */
  readonly inline: boolean;
  /** True for `ObjectMeta.managedFields`. */
  readonly managed: boolean;
  /** One of `fieldForm`. */
  readonly form: number;
  /** True for a message, list or map whose value objects can share. Their form is then `FORM.shared`. */
  readonly shared: boolean;
  /** Position of the field in JSON. */
  rank = 0;
  /** Bit in the message's `required`; 0 for a field that may be absent in JSON. */
  bit = 0;
  /** True if its bytes are worth keeping for lazy decoding. */
  readonly deferred: boolean;
  /** Constructor of an empty map for this field. */
  readonly Shape: Shape = createShape(0);
  /** Tag of the field with its usual wire type. */
  readonly tag: number;
  /** Length of the tag in bytes. */
  readonly tagLength: number;
  readonly #schema: ProtobufSchema;
  readonly #target: string;
  #type: MessageType | undefined = undefined;

  /** Parses one field of a table's line. `owner` is the message it belongs to. */
  constructor(text: string, owner: string, schema: ProtobufSchema) {
    // eslint-disable-next-line regexp/no-super-linear-backtracking -- every line of the generated tables matches
    const [, number, letter, flags, key, target] = /^(\d+)([A-Za-z])([*?0[{^]*):([^=]*)=?(.*)$/.exec(text)!;
    this.number = Number(number);
    this.kind = fieldKindLetters.indexOf(letter!);
    this.key = key!;
    this.repeated = flags!.includes("[");
    this.map = flags!.includes("{");
    this.pointer = flags!.includes("*");
    this.omitEmpty = flags!.includes("?");
    this.omitZero = flags!.includes("0");
    this.inline = flags!.includes("^");
    this.managed = owner === "ObjectMeta" && key === "managedFields";
    this.wire = this.map ? 2 : (scalarWires[this.kind] ?? 2);
    this.tag = this.number * 8 + this.wire;
    this.tagLength = this.tag < 128 ? 1 : this.tag < 16384 ? 2 : 3;
    this.form = this.managed
      ? fieldForm.managed
      : this.map
        ? fieldForm.map
        : this.repeated
          ? fieldForm.list
          : this.wire !== 2
            ? fieldForm.number
            : this.kind === fieldKind.message
              ? this.inline
                ? fieldForm.inline
                : fieldForm.message
              : this.kind === fieldKind.string
                ? fieldForm.text
                : fieldForm.other;
    this.shared =
      this.wire === 2 &&
      (this.form === fieldForm.message || this.form === fieldForm.list || this.form === fieldForm.map);
    this.deferred =
      this.wire === 2 &&
      !this.inline &&
      key !== "metadata" &&
      (this.map || this.repeated || this.kind === fieldKind.message || this.kind === fieldKind.raw);
    this.#schema = schema;
    this.#target = target!;
  }

  /** Message type of the field. It's resolved on first use, because messages can be recursive. */
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

/** Constructor of empty plain objects. */
type Shape = new () => Record<string, unknown>;

/**
 * Creates a constructor for each message, so that V8 learns the number of properties and reserves room for them. `{}`
 * has room for four. The results are plain objects.
 */
export function createShape(fields: number): Shape {
  // V8 starts with room for eight more properties than a constructor appears to assign, and shrinks it after the first
  // objects.
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

/** Message type. It's a class, because objects with getters of their own would each have a slow shape. */
export class MessageType {
  /** Name without package. */
  readonly name: string;
  /** Fields in ascending order of their numbers. */
  readonly list: readonly Field[];
  /** Fields by number. */
  readonly fields: readonly (Field | undefined)[];
  /** Bits of the fields that JSON includes even if they are zero. */
  readonly required: number;
  /** True if its objects contain their kind even inside a list. */
  readonly typed: boolean;
  /** Constructor of an empty object. */
  readonly Shape: Shape;
  #keys: ReadonlySet<string> | undefined;
  #ranks: ReadonlyMap<string, number> | undefined;
  #ranked: readonly Field[] | undefined;
  #order: readonly string[] | undefined;
  #unordered: boolean | undefined;

  /** Takes the fields in ascending order and the bits of the required ones. */
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

  /** Fields in the order that Go's encoder writes them in JSON. */
  get ranked(): readonly Field[] {
    return (this.#ranked ??= [...this.list].sort((a, b) => a.rank - b.rank));
  }

  /** JSON names of all fields in the order that Go's encoder writes them, including those of inlined messages. */
  get order(): readonly string[] {
    return (this.#order ??= this.ranked.flatMap((field) => (field.inline ? field.type.order : [field.key])));
  }

  /** Position of each name in `order`. */
  get ranks(): ReadonlyMap<string, number> {
    return (this.#ranks ??= new Map(this.order.map((key, rank) => [key, rank])));
  }

  /** True if ascending field numbers don't always give JSON's order. */
  get unordered(): boolean {
    return (this.#unordered ??= this.list.some(
      (field, at) => (at > 0 && field.rank < this.list[at - 1]!.rank) || (field.inline && field.type.unordered),
    ));
  }

  /** JSON names of all fields, including those of inlined messages. */
  get keys(): ReadonlySet<string> {
    return (this.#keys ??= new Set(this.list.flatMap((field) => (field.inline ? [...field.type.keys] : [field.key]))));
  }
}

/** Returns a new object for a nested message. */
export function emptyObject(type: MessageType): Record<string, unknown> {
  return type.typed ? { kind: type.name, apiVersion: "meta.k8s.io/v1" } : new type.Shape();
}

/** Parses a table when one of its messages is needed, and each message when it's used. */
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

/** Returns a message of a table. Throws a `RangeError` if the table doesn't contain it. */
export function messageOf(schema: ProtobufSchema, name: string): MessageType {
  let table = tables.get(schema);
  if (table === undefined) tables.set(schema, (table = new Table(schema)));
  return table.get(name);
}

function parseMessage(name: string, text: string, schema: ProtobufSchema): MessageType {
  const list = (text === "" ? [] : text.split(";")).map((part) => new Field(part, name, schema));
  for (const [rank, field] of list.entries()) field.rank = rank;
  list.sort((a, b) => a.number - b.number);
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

/**
 * Go writes a value that isn't a pointer even if it's zero, and null for a pointer. `omitempty` has no effect on
 * structs.
 */
function isRequired(field: Field): boolean {
  if (field.omitZero) return false;
  if (field.pointer || field.repeated || field.map) return !field.omitEmpty && !field.inline;
  const struct = [
    fieldKind.message,
    fieldKind.time,
    fieldKind.microTime,
    fieldKind.quantity,
    fieldKind.intOrString,
    fieldKind.raw,
  ] as readonly number[];
  return struct.includes(field.kind) || !field.omitEmpty;
}
