import { varintBytes } from "../../codec/protobuf/varint.js";
import { utf8Encode } from "../../internal/bytes.js";
import { formatYaml } from "../../internal/yaml/yaml-writer.js";

/** JSON data. */
export type Json = Record<string, unknown>;
/** Pieces of a message. Messages in it stay apart until the end, so that no level copies the levels below. */
export type Bytes = (Uint8Array | Nested)[];

/** A message in a message. */
interface Nested {
  /** Length in bytes. */
  readonly length: number;
  readonly parts: Bytes;
}

/** Joins the pieces. */
export function joinParts(parts: Bytes): Uint8Array {
  const joined = new Uint8Array(size(parts));
  let at = 0;
  const open = [parts.values()];
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const { done, value } = level.next();
    if (done === true) open.pop();
    else if (value instanceof Uint8Array) {
      joined.set(value, at);
      at += value.length;
    } else open.push(value.parts.values());
  }
  return joined;
}

/** Encodings of small numbers, which most tags and lengths are. */
const smallVarints: readonly Uint8Array[] = Array.from({ length: 1024 }, (_, value) =>
  Uint8Array.from(varintBytes(value)),
);

/** Encodes a number as a varint. */
export function varint(value: number): Uint8Array {
  return smallVarints[value] ?? Uint8Array.from(varintBytes(value));
}

/** Returns the total length of the pieces. */
function size(parts: Bytes): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** Encodes a message field. */
export function message(field: number, parts: Bytes): Bytes {
  const length = size(parts);
  return [varint(field * 8 + 2), varint(length), { length, parts }];
}

/** Encodes a string field; an empty string is omitted. */
export function text(field: number, value: unknown): Bytes {
  if (typeof value !== "string" || value === "") return [];
  const bytes = utf8Encode(value);
  return [varint(field * 8 + 2), varint(bytes.length), bytes];
}

/** Encodes a boolean field; only `true` is written. */
export function flag(field: number, value: unknown): Bytes {
  return value === true ? [varint(field * 8), varint(1)] : [];
}

/** Encodes a positive integer field; other values are omitted. */
export function integer(field: number, value: unknown): Bytes {
  return typeof value === "number" && value > 0 ? [varint(field * 8), varint(value)] : [];
}

/** Encodes a double field; zero is omitted. */
export function double(field: number, value: unknown): Bytes {
  if (typeof value !== "number" || value === 0) return [];
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return [varint(field * 8 + 1), bytes];
}

/** Encodes a field with a name and a message. */
export function named(field: number, name: string, value: Bytes): Bytes {
  return message(field, [...text(1, name), ...message(2, value)]);
}

/** Parses field numbers by name from a text such as `1 nullable, 9 title`. */
export function fieldNumbers(text: string): ReadonlyMap<string, number> {
  return new Map(text.split(", ").map((each) => [each.split(" ")[1]!, Number.parseInt(each, 10)]));
}

const doubles = new Set(["multipleOf", "maximum", "minimum"]);

/** Encodes the strings, numbers and booleans of an object with the given field numbers. */
export function scalars(numbers: ReadonlyMap<string, number>, object: Json): Bytes {
  return [...numbers].flatMap(([name, field]) => {
    const value = object[name];
    if (typeof value === "number") return doubles.has(name) ? double(field, value) : integer(field, value);
    return typeof value === "string" ? text(field, value) : flag(field, value);
  });
}

/** Encodes any value as YAML. */
export function any(value: unknown): Bytes {
  return text(2, formatYaml(value));
}

/** Encodes the members of an object whose names begin with `x-`. */
export function extensions(field: number, object: Json): Bytes {
  return Object.keys(object)
    .filter((key) => key.startsWith("x-"))
    .flatMap((key) => named(field, key, any(object[key])));
}

/** Encodes the members of an object, each as a name with a message. */
export function members(field: number, object: unknown, encode: (value: Json) => Bytes): Bytes {
  return Object.entries((object ?? {}) as Record<string, Json>).flatMap(([name, one]) =>
    named(field, name, encode(one)),
  );
}

/** Encodes a schema's `additionalProperties`, which is a boolean or a schema. */
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
