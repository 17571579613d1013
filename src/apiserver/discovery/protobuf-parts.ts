import { varintBytes } from "../../codec/protobuf/varint.js";
import { utf8Encode } from "../../internal/bytes.js";
import { formatYaml } from "../../internal/yaml-writer.js";

/** JSON data. */
export type Json = Record<string, unknown>;
/** Pieces of a message. */
export type Bytes = Uint8Array[];

/** A number as a varint. */
export function varint(value: number): Uint8Array {
  return Uint8Array.from(varintBytes(value));
}

/** Length of all pieces. */
function size(parts: Bytes): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** A field that holds a message. */
export function message(field: number, parts: Bytes): Bytes {
  return [varint(field * 8 + 2), varint(size(parts)), ...parts];
}

/** A field that holds a text; nothing for an empty one. */
export function text(field: number, value: unknown): Bytes {
  if (typeof value !== "string" || value === "") return [];
  const bytes = utf8Encode(value);
  return [varint(field * 8 + 2), varint(bytes.length), bytes];
}

/** A field that holds `true`; nothing for all else. */
export function flag(field: number, value: unknown): Bytes {
  return value === true ? [varint(field * 8), varint(1)] : [];
}

/** A field that holds a positive integer. */
export function integer(field: number, value: unknown): Bytes {
  return typeof value === "number" && value > 0 ? [varint(field * 8), varint(value)] : [];
}

/** A field that holds a double; nothing for zero. */
export function double(field: number, value: unknown): Bytes {
  if (typeof value !== "number" || value === 0) return [];
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return [varint(field * 8 + 1), bytes];
}

/** A field that holds a name and a message. */
export function named(field: number, name: string, value: Bytes): Bytes {
  return message(field, [...text(1, name), ...message(2, value)]);
}

/** Field numbers by name, from a text as `1 nullable, 9 title`. */
export function fieldNumbers(text: string): ReadonlyMap<string, number> {
  return new Map(text.split(", ").map((each) => [each.split(" ")[1]!, Number.parseInt(each, 10)]));
}

const doubles = new Set(["multipleOf", "maximum", "minimum"]);

/** The texts, numbers and flags of an object, under the numbers of their fields. */
export function scalars(numbers: ReadonlyMap<string, number>, object: Json): Bytes {
  return [...numbers].flatMap(([name, field]) => {
    const value = object[name];
    if (typeof value === "number") return doubles.has(name) ? double(field, value) : integer(field, value);
    return typeof value === "string" ? text(field, value) : flag(field, value);
  });
}

/** Any value, as YAML. */
export function any(value: unknown): Bytes {
  return text(2, formatYaml(value));
}

/** The members of an object whose names begin with `x-`. */
export function extensions(field: number, object: Json): Bytes {
  return Object.keys(object)
    .filter((key) => key.startsWith("x-"))
    .flatMap((key) => named(field, key, any(object[key])));
}

/** The members of an object, each as a name with a message. */
export function members(field: number, object: unknown, encode: (value: Json) => Bytes): Bytes {
  return Object.entries((object ?? {}) as Record<string, Json>).flatMap(([name, one]) =>
    named(field, name, encode(one)),
  );
}

/** A schema's `additionalProperties`: a flag or a schema. */
export function additional(field: number, value: unknown, encode: (schema: Json) => Bytes): Bytes {
  if (value === undefined) return [];
  return message(
    field,
    typeof value === "boolean" ? [varint(16), varint(value ? 1 : 0)] : message(1, encode(value as Json)),
  );
}

/** A path item: its operations under the numbers of their methods. */
export function operations(
  methods: ReadonlyMap<string, number>,
  item: Json,
  encode: (operation: Json) => Bytes,
): Bytes {
  return [...methods].flatMap(([method, field]) =>
    item[method] === undefined ? [] : message(field, encode(item[method] as Json)),
  );
}
