import type { GoField } from "../../../gen/go-types.js";
import { goStruct } from "../../../gen/go-types.js";

/** Returns a lower bound of the length of a value's JSON in bytes, or a number above `enough`. */
export function leastJson(value: unknown, enough: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 1;
  // Brackets, and a comma after all members but the last.
  if (Array.isArray(value)) {
    let size = value.length === 0 ? 2 : 1;
    for (let at = 0; at < value.length && size <= enough; at++) size += leastJson(value[at], enough - size) + 1;
    return size;
  }
  const keys = Object.keys(value);
  let size = 2;
  for (const key of keys) {
    const member = (value as Record<string, unknown>)[key];
    // A null may be dropped.
    if (member !== null) size += key.length + 4 + leastJson(member, enough - size);
    if (size > enough) break;
  }
  return size;
}

/**
 * Returns a lower bound of the length of a struct in Protobuf in bytes, or a number above `enough`. The object may still
 * have unknown fields and values of a wrong type, which don't count.
 */
export function leastProtobuf(definition: string, value: unknown, enough: number): number {
  const struct = sizesOf(definition);
  if (struct === undefined) return 0;
  let size = struct.empty;
  if (typeof value !== "object" || value === null) return size;
  for (const key of Object.keys(value)) {
    const field = struct.fields.get(key);
    if (field !== undefined) size += leastField(field, (value as Record<string, unknown>)[key], enough - size);
    if (size > enough) break;
  }
  return size;
}

/** Returns the least number of bytes that a field adds to an empty struct. */
function leastField(field: GoField, value: unknown, enough: number): number {
  if (typeof value !== "object" || value === null)
    return field.list || field.map ? 0 : leastValue(field, value, enough);
  let size = 0;
  if (field.list) {
    if (!Array.isArray(value)) return 0;
    // Each element has a tag, and a length or a value.
    for (let at = 0; at < value.length && size <= enough; at++) size += 2 + leastValue(field, value[at], enough - size);
    return size;
  }
  if (!field.map) return leastValue(field, value, enough);
  for (const key of Object.keys(value)) {
    // An entry has a tag and a length, and so do its key and its value.
    size += 6 + key.length + leastValue(field, (value as Record<string, unknown>)[key], enough - size);
    if (size > enough) break;
  }
  return size;
}

function leastValue({ kind, struct, list, map, pointer }: GoField, value: unknown, enough: number): number {
  if (kind === "struct") {
    // A struct that isn't a pointer counts as a part of the empty one around it already.
    const counted = list || map || pointer ? 0 : (sizesOf(struct!)?.empty ?? 0);
    return leastProtobuf(struct!, value, enough + counted) - counted;
  }
  if (typeof value !== "string") return 0;
  // Base64 in JSON.
  if (kind === "bytes") return Math.floor(value.length * 0.75) - 2;
  // Times and quantities are stored in a shorter form.
  return kind === "string" ? value.length : 0;
}

/** Sizes of a struct. */
interface StructSizes {
  /** Least length of a struct without values: it contains all fields that aren't pointers. */
  readonly empty: number;
  readonly fields: ReadonlyMap<string, GoField>;
}

const sizes = new Map<string, StructSizes | undefined>();

function sizesOf(definition: string): StructSizes | undefined {
  if (sizes.has(definition)) return sizes.get(definition);
  const fields = goStruct(definition);
  const found = fields && {
    empty: fields.reduce((size, field) => size + emptyField(field), 0),
    fields: new Map(fields.map((field) => [field.name, field])),
  };
  sizes.set(definition, found);
  return found;
}

/** Returns what a field takes in an empty struct: a tag, and a value or a length. */
function emptyField({ name, kind, struct, list, map, pointer }: GoField): number {
  // The type of an object is stored next to it.
  if (list || map || pointer || name === "kind" || name === "apiVersion") return 0;
  if (kind === "struct") return 2 + (sizesOf(struct!)?.empty ?? 0);
  return kind === "string" || kind === "bool" || kind === "int32" || kind === "int64" ? 2 : 0;
}
