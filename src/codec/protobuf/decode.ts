import { base64Slice } from "../../internal/base64.js";
import { pushAll } from "../../internal/push-all.js";
import { setOwn } from "../../internal/set-own.js";
import { sharedValues, thaw } from "../shared/shared-values.js";
import { addUnknownFieldCount, addUnknownFields } from "../unknown-fields.js";
import type { DecodeHooks, ManagedFields } from "./decode-hooks.js";
import { sortKeys } from "./order.js";
import { appendTo, decodePacked, readDouble } from "./packed.js";
import { contentStart, countRun, endOfRun, isTag } from "./runs.js";
import { decodeSchemaOr } from "./schema-or.js";
import { emptyObject, type Field, fieldForm, fieldKind, type MessageType } from "./table.js";
import {
  contentEnd,
  contentOf,
  decodeDuration,
  decodeEmbeddedJson,
  decodeIntOrString,
  decodeQuantity,
  decodeStrings,
  decodeText,
  decodeTime,
  fillMissing,
} from "./values.js";
import { fail, position, readInt64, readVarint, skipField, startsWithMagic } from "./wire.js";

/** Maximum nesting depth of messages. */
const maxDepth = 500;

/** Maximum number of complete objects nested in each other. */
const maxNesting = 8;

let managedFields: ManagedFields = "keep";
let hooks: DecodeHooks;
let depth = 0;
let nesting = 0;
let unknown = 0;

type Plain = Record<string, unknown>;

/** Starts the decoding of one object: sets the policy and resets state that an error may have left. */
export function beginObject(policy: ManagedFields, decodeHooks: DecodeHooks): void {
  managedFields = policy;
  hooks = decodeHooks;
  depth = 0;
  unknown = 0;
}

/** Ends the decoding of one object and marks it if parts of it have unknown fields. */
export function endObject(object: object): void {
  if (unknown > 0) addUnknownFieldCount(object, unknown);
}

/** Returns the number of parts with unknown fields since `beginObject`. */
export function unknownParts(): number {
  return unknown;
}

/** Decodes a message, into `target` if given: for inlined fields, or for a message that was split. */
export function decodeMessage(bytes: Uint8Array, start: number, end: number, type: MessageType, target?: Plain): Plain {
  if (++depth > maxDepth) fail(`${type.name} nested too deeply`, start);
  const object: Plain = target ?? emptyObject(type);
  const fields = type.fields;
  let seen = 0;
  let [rank, disordered, hasUnknown] = [0, false, false];
  /** Fields come in ascending order, so a field after the last one has no value yet and needs no lookup. */
  let last = target === undefined ? 0 : 0x20000000;
  let p = start;
  while (p < end) {
    const at = p;
    let tag = bytes[p++]!;
    if (tag > 127) {
      tag = readVarint(bytes, at, end);
      p = position;
    }
    const number = tag < 0x40000000 ? tag >>> 3 : Math.floor(tag / 8);
    const wire = tag & 7;
    const field = number < fields.length ? fields[number] : undefined;
    if (field === undefined) {
      if (number === 0) fail(`field number 0 in ${type.name}`, at);
      if (!hasUnknown) unknown++;
      hasUnknown = true;
      p = skipField(bytes, p, end, wire);
      addUnknownFields(object, bytes.subarray(at, p));
      continue;
    }
    seen |= field.bit;
    disordered ||= field.rank < rank;
    rank = field.rank;
    const isNew = number > last;
    if (isNew) last = number;
    if (wire === 2) {
      let length = p < end ? bytes[p++]! : 128;
      if (length > 127) {
        length = readVarint(bytes, p < end ? p - 1 : p, end);
        p = position;
      }
      const q = p + length;
      if (q > end) fail(`length beyond the end of ${type.name}.${field.key}`, p);
      switch (sharedValues !== undefined && field.shared ? fieldForm.shared : field.form) {
        case fieldForm.shared:
          p = decodeShared(bytes, at, p, q, end, field, object, isNew);
          break;
        case fieldForm.text:
          if (length > 0 || field.pointer || !field.omitEmpty) object[field.key] = decodeText(bytes, p, q, field);
          p = q;
          break;
        case fieldForm.message:
          object[field.key] = decodeMessage(bytes, p, q, field.type, isNew ? undefined : (object[field.key] as Plain));
          p = q;
          break;
        case fieldForm.list:
          if (field.wire === 2) p = decodeList(bytes, p, q, end, field, object, isNew);
          else p = decodePacked(bytes, p, q, field, object);
          break;
        case fieldForm.map:
          p = decodeMap(bytes, p, q, end, field, object, isNew);
          break;
        case fieldForm.managed:
          p = decodeManaged(bytes, at, p, q, end, field, object, isNew);
          break;
        case fieldForm.inline:
          decodeMessage(bytes, p, q, field.type, object);
          if (field.type.unordered) disordered = true;
          p = q;
          break;
        case fieldForm.number:
          fail(`wire type 2 for ${type.name}.${field.key}`, at);
          break;
        default:
          if (length > 0 || field.pointer || !(field.omitZero || (field.omitEmpty && field.kind === fieldKind.bytes)))
            object[field.key] = decodeValue(bytes, p, q, field);
          p = q;
      }
    } else if (wire === 0 && field.wire === 0) {
      let value = bytes[p]!;
      if (value < 128 && p < end) p++;
      else {
        value = readInt64(bytes, p, end);
        p = position;
      }
      const scalar = field.kind === fieldKind.bool ? value !== 0 : value;
      if (field.repeated) appendTo(object, field.key, [scalar]);
      else if (value !== 0 || field.pointer || !field.omitEmpty) object[field.key] = scalar;
    } else if (wire === 1 && field.wire === 1) {
      if (end - p < 8) fail(`truncated ${type.name}.${field.key}`, p);
      const value = readDouble(bytes, p);
      p += 8;
      if (field.repeated) appendTo(object, field.key, [value]);
      else if (value !== 0 || field.pointer || !field.omitEmpty) object[field.key] = value;
    } else fail(`wire type ${String(wire)} for ${type.name}.${field.key}`, at);
  }
  depth--;
  const complete = (seen & type.required) === type.required;
  if (!complete) fillMissing(object, type, seen);
  // A message without fields gets all of them in order.
  const isSorted = !disordered && (complete || start === end);
  return target === undefined && !isSorted ? sortKeys(object, type) : object;
}

/** Decodes, drops or defers `managedFields`. Returns the offset after the part that was handled. */
function decodeManaged(
  bytes: Uint8Array,
  start: number,
  from: number,
  to: number,
  end: number,
  field: Field,
  object: Plain,
  isNew: boolean,
): number {
  if (managedFields === "keep") return decodeList(bytes, from, to, end, field, object, isNew);
  if (managedFields === "drop") return to;
  const runEnd = endOfRun(bytes, start, end, field);
  hooks.keepManagedFields(object, bytes, start, runEnd, field);
  return runEnd;
}

/** Maximum depth of messages with shared values, so that each byte is hashed a few times at most. */
const maxSharedDepth = 8;

/**
 * Decodes a message, list or map whose first value is from `from` to `to`, or finds a value decoded from equal bytes.
 * Returns the offset after it.
 */
function decodeShared(
  bytes: Uint8Array,
  start: number,
  from: number,
  to: number,
  end: number,
  field: Field,
  object: Plain,
  isNew: boolean,
): number {
  const { key } = field;
  const values = sharedValues!;
  const runEnd = field.form === fieldForm.message ? to : endOfRun(bytes, to, end, field);
  const hash = isNew && depth <= maxSharedDepth ? values.hash(bytes, start, runEnd) : -1;
  if (hash >= 0) {
    const known = values.get(hash, field, bytes, start, runEnd);
    if (known !== undefined) {
      object[key] = known;
      return runEnd;
    }
  }
  const before = unknown;
  if (!isNew && object[key] !== undefined) object[key] = thaw(object[key]);
  if (field.form === fieldForm.list) decodeList(bytes, from, to, end, field, object, isNew);
  else if (field.form === fieldForm.map) decodeMap(bytes, from, to, end, field, object, isNew);
  else object[key] = decodeMessage(bytes, from, to, field.type, isNew ? undefined : (object[key] as Plain));
  // Unknown fields are counted for each object that contains them.
  if (hash >= 0 && unknown === before) values.set(hash, field, bytes, start, runEnd, object[key]);
  return runEnd;
}

/** Decodes one value of a length-delimited field. */
export function decodeValue(bytes: Uint8Array, start: number, end: number, field: Field): unknown {
  switch (field.kind) {
    case fieldKind.string:
      return decodeText(bytes, start, end, field);
    case fieldKind.message:
      return decodeMessage(bytes, start, end, field.type);
    case fieldKind.time:
    case fieldKind.microTime:
      return decodeTime(bytes, start, end, field);
    case fieldKind.quantity:
      return decodeQuantity(bytes, start, end, field);
    case fieldKind.intOrString:
      return decodeIntOrString(bytes, start, end, field);
    case fieldKind.bytes:
      return base64Slice(bytes, start, end);
    case fieldKind.fields:
    case fieldKind.raw:
    case fieldKind.json:
      return decodeEmbedded(bytes, start, end, field);
    case fieldKind.duration:
      return decodeDuration(bytes, start, end, field);
    case fieldKind.strings:
      return decodeStrings(bytes, start, end, field);
    default:
      return decodeSchemaOr(bytes, start, end, field, decodeValue);
  }
}

/** Decodes JSON, or for raw extensions a complete Protobuf object, wrapped in a message with one field. */
function decodeEmbedded(bytes: Uint8Array, start: number, end: number, field: Field): unknown {
  const from = contentOf(bytes, start, end, field);
  if (from < 0) return null;
  if (field.kind === fieldKind.raw && startsWithMagic(bytes, from)) return decodeNested(bytes, from, contentEnd);
  return decodeEmbeddedJson(bytes, from, contentEnd, field);
}

/**
 * Decodes consecutive values of a list and returns the offset after the last. Counts them first, so that the array has
 * the exact size.
 */
function decodeList(
  bytes: Uint8Array,
  start: number,
  end: number,
  limit: number,
  field: Field,
  object: Plain,
  isNew: boolean,
): number {
  const first = decodeValue(bytes, start, end, field);
  const count = countRun(bytes, end, limit, field);
  const list = new Array<unknown>(count + 1);
  list[0] = first;
  let p = end;
  for (let i = 1; i <= count; i++) {
    p += field.tagLength;
    let length = bytes[p++]!;
    if (length > 127) {
      length = readVarint(bytes, p - 1, limit);
      p = position;
    }
    list[i] = decodeValue(bytes, p, p + length, field);
    p += length;
  }
  const before = isNew ? undefined : (object[field.key] as unknown[] | undefined | null);
  if (before === undefined || before === null) object[field.key] = list;
  // Two fields that take turns must not copy what is there each time.
  else pushAll(before, list);
  return p;
}

/** Decodes consecutive entries of a map and returns the offset after the last. */
function decodeMap(
  bytes: Uint8Array,
  start: number,
  end: number,
  limit: number,
  field: Field,
  object: Plain,
  isNew: boolean,
): number {
  let map = isNew ? undefined : (object[field.key] as Plain | undefined | null);
  if (map === undefined || map === null) object[field.key] = map = new field.Shape();
  decodeEntry(bytes, start, end, field, map);
  let p = end;
  while (isTag(bytes, p, limit, field)) {
    const length = readVarint(bytes, p + field.tagLength, limit);
    if (length > limit - position) fail(`length beyond the end of ${field.key}`, p);
    p = position + length;
    decodeEntry(bytes, p - length, p, field, map);
  }
  return p;
}

function decodeEntry(bytes: Uint8Array, start: number, end: number, field: Field, map: Plain): void {
  let key = "";
  let valueStart = end;
  let valueEnd = end;
  let p = start;
  while (p < end) {
    const at = p;
    let tag = bytes[p++]!;
    if (tag > 127) {
      tag = readVarint(bytes, at, end);
      p = position;
    }
    const q = skipField(bytes, p, end, tag & 7);
    if (tag === 10) key = decodeText(bytes, contentStart(bytes, p, end), q, field);
    else if (tag === 18) {
      valueStart = contentStart(bytes, p, end);
      valueEnd = q;
    } else if (tag >>> 3 < 3) fail(`wire type ${String(tag & 7)} in an entry of ${field.key}`, at);
    p = q;
  }
  setOwn(map, key, decodeValue(bytes, valueStart, valueEnd, field));
}

/** Decodes a nested object on its own and restores the state of the outer one. */
function decodeNested(bytes: Uint8Array, start: number, end: number): object {
  if (nesting === maxNesting) fail("objects nested too deeply", start);
  const outer = { managedFields, hooks, depth, unknown };
  nesting++;
  try {
    return outer.hooks.decodeNested(bytes, start, end);
  } finally {
    nesting--;
    ({ managedFields, hooks, depth, unknown } = outer);
  }
}
