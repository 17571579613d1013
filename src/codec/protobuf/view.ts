import type { DecodeOptions } from "../../meta/options.js";
import { managedFieldsOf } from "../decode-options.js";
import {
  Cell,
  type CellReader,
  defineCell,
  defineDeferred,
  findCell,
  keepBytes,
  keepCells,
  keptAt,
  sameValue,
} from "../lazy.js";
import { poolFor, type SharedPool } from "../shared/shared-parts.js";
import { shareValues } from "../shared/shared-values.js";
import { addUnknownFieldCount } from "../unknown-fields.js";
import { beginObject, decodeMessage, endObject, unknownParts } from "./decode.js";
import type { DecodeHooks, ManagedFields } from "./decode-hooks.js";
import { sortRoot } from "./order.js";
import { endOfRun } from "./runs.js";
import { type Field, MessageType } from "./table.js";
import { fillMissing } from "./values.js";
import { position, readVarint, setSubject, skipField } from "./wire.js";

type Plain = Record<string, unknown>;

/** Creates the decoder callbacks, once per codec. */
export function createHooks(decodeNested: DecodeHooks["decodeNested"]): DecodeHooks {
  const hooks: DecodeHooks = {
    decodeNested,
    keepManagedFields: (metadata, bytes, start, end, field) =>
      keepManagedFields(hooks, metadata, bytes, start, end, field),
  };
  return hooks;
}

/** Decodes the message of one object into `object`, according to the options. */
export function decodeRoot(
  bytes: Uint8Array,
  start: number,
  end: number,
  type: MessageType,
  object: Plain,
  options: DecodeOptions | undefined,
  hooks: DecodeHooks,
): object {
  const managed = managedFieldsOf(options);
  if (options?.lazy !== true && options?.previous === undefined) {
    beginObject(managed, hooks);
    decodeMessage(bytes, start, end, type, object);
    endObject(object);
    return sortRoot(object, type);
  }
  const { pool } = options;
  if (pool === undefined || options.lazy !== true || options.previous !== undefined || managed === "keep")
    return decodeInParts(bytes, start, end, type, object, options, managed, hooks);
  sharing = poolFor(pool);
  if (!sharing.begin(end - start)) sharing = undefined;
  shareValues(sharing?.values);
  try {
    return decodeInParts(bytes, start, end, type, object, options, managed, hooks);
  } finally {
    sharing = undefined;
    shareValues(undefined);
  }
}

/**
 * Extent of a deferred field, including all its values if it's a list or a map. A linked list, because a growing array
 * starts with room for 17.
 */
interface Part {
  readonly field: Field;
  readonly start: number;
  readonly end: number;
  next: Part | undefined;
}

function decodeInParts(
  bytes: Uint8Array,
  start: number,
  end: number,
  type: MessageType,
  object: Plain,
  options: DecodeOptions,
  managed: ManagedFields,
  hooks: DecodeHooks,
): object {
  const own = partialType(type);
  let parts: Part | undefined;
  let last: Part | undefined;
  let seen = 0;
  let unknown = 0;
  let p = start;
  while (p < end) {
    const at = p;
    const tag = readVarint(bytes, at, end);
    const number = Math.floor(tag / 8);
    const field = number < type.fields.length ? type.fields[number] : undefined;
    p = skipField(bytes, position, end, tag & 7);
    if (field !== undefined && tag === field.tag) {
      seen |= field.bit;
      if (field.deferred) {
        if (field.repeated || field.map) p = endOfRun(bytes, p, end, field);
        if (holdsPart(parts, field)) {
          // Servers never split a field like this. Join its pieces with the plain decoder.
          sharing = undefined;
          return decodeRoot(
            bytes,
            start,
            end,
            type,
            object,
            managed === "keep" ? undefined : { managedFields: managed },
            hooks,
          );
        }
        const part: Part = { field, start: at, end: p, next: undefined };
        if (last === undefined) parts = part;
        else last.next = part;
        last = part;
        continue;
      }
    }
    beginObject(managed, hooks);
    decodeMessage(bytes, at, p, own, object);
    unknown += unknownParts();
  }
  if ((seen & type.required) !== type.required) fillMissing(object, type, seen);
  if (unknown > 0) addUnknownFieldCount(object, unknown);
  const metadata = object["metadata"] as { namespace?: string; name?: string } | undefined;
  const previous = options.previous?.(metadata?.namespace, metadata?.name ?? "");
  if (sharing !== undefined) shareParts(sharing, bytes, parts, object, readerOf(own, managed, hooks));
  else if (parts !== undefined)
    defineParts(bytes, parts, last!.end, object, previous, options, readerOf(own, managed, hooks));
  return sortRoot(object, type);
}

/** Pool for the deferred parts of the object that is being decoded. */
let sharing: SharedPool | undefined;

/** Stores deferred parts relative to those of a similar object. */
function shareParts(
  pool: SharedPool,
  bytes: Uint8Array,
  parts: Part | undefined,
  object: Plain,
  reader: CellReader,
): void {
  const owners: object[] = [];
  const metadata = object["metadata"] as
    | { namespace?: string; name?: string; ownerReferences?: readonly { uid?: string }[] }
    | undefined;
  if (!pool.isEmpty) owners.push(metadata!);
  for (let part = parts; part !== undefined; part = part.next) {
    const { key } = part.field;
    pool.add(key, bytes, part.start, part.end, reader);
    defineDeferred(object, key);
  }
  if (parts !== undefined) owners.push(object);
  if (owners.length > 0) {
    const group = metadata?.ownerReferences?.[0]?.uid ?? "";
    pool.finish(owners, group, metadata?.namespace, metadata?.name);
  }
}

function holdsPart(parts: Part | undefined, field: Field): boolean {
  for (let part = parts; part !== undefined; part = part.next) if (part.field === field) return true;
  return false;
}

function countParts(parts: Part): number {
  let count = 0;
  for (let part: Part | undefined = parts; part !== undefined; part = part.next) count++;
  return count;
}

function defineParts(
  bytes: Uint8Array,
  parts: Part,
  partsEnd: number,
  object: Plain,
  previous: object | undefined,
  options: DecodeOptions,
  reader: CellReader,
): void {
  const lazy = options.lazy === true;
  if (!lazy && previous === undefined) {
    for (let part: Part | undefined = parts; part !== undefined; part = part.next)
      object[part.field.key] = reader(bytes, part.start, part.end, part.field.key, object);
    return;
  }
  const cells = new Array<Cell>(countParts(parts));
  let count = 0;
  // One copy contains all parts that aren't shared, because the source array is reused for the next objects.
  let copy: Uint8Array | undefined;
  let shift = 0;
  for (let part: Part | undefined = parts; part !== undefined; part = part.next) {
    const {
      field: { key },
      start,
      end,
    } = part;
    const known = previous === undefined ? undefined : findCell(previous, key);
    let cell: Cell;
    if (known?.holds(bytes, start, end) === true) cell = known;
    else {
      if (copy === undefined) {
        copy = keepBytes(bytes, start, partsEnd);
        shift = keptAt - start;
      }
      cell = new Cell(key, copy, start + shift, end + shift, options.previous !== undefined, reader);
      if (!lazy) adopt(cell, object, previous!);
    }
    cells[count++] = cell;
    if (!lazy) cell.get(object);
    defineCell(object, cell);
  }
  keepCells(object, cells);
}

/** Reuses the value of the previous version if it's equal but its bytes weren't kept. */
function adopt(cell: Cell, object: Plain, previous: object): void {
  const before = (previous as Plain)[cell.key];
  if (sameValue(before, cell.get(object))) cell.value = before;
}

/**
 * Returns the decoder for deferred parts of a message. It's shared by all objects, because each of their cells refers
 * to it.
 */
function readerOf(own: PartialType, managed: ManagedFields, hooks: DecodeHooks): CellReader {
  let known = own.readers.get(hooks);
  if (known === undefined) own.readers.set(hooks, (known = {}));
  return (known[managed] ??= makeReader(own, managed, hooks));
}

/** Creates a decoder for a deferred part. It adds unknown fields to the count of the owner. */
function makeReader(own: MessageType, managed: ManagedFields, hooks: DecodeHooks): CellReader {
  return (bytes, start, end, key, owner) => {
    setSubject(`${own.name}.${key}`, 0);
    beginObject(managed, hooks);
    const holder = decodeMessage(bytes, start, end, own);
    if (unknownParts() > 0) addUnknownFieldCount(owner, unknownParts());
    return holder[key];
  };
}

function keepManagedFields(
  hooks: DecodeHooks,
  metadata: object,
  bytes: Uint8Array,
  start: number,
  end: number,
  field: Field,
): void {
  const reader = managedReader(field, hooks);
  if (sharing?.isEmpty === true) {
    sharing.add(field.key, bytes, start, end, reader);
    defineDeferred(metadata, field.key);
    return;
  }
  const copy = keepBytes(bytes, start, end);
  const cell = new Cell(field.key, copy, keptAt, keptAt + end - start, false, reader);
  keepCells(metadata, [cell]);
  defineCell(metadata, cell);
}

const managedReaders = new WeakMap<DecodeHooks, CellReader>();

/** Returns the decoder for `managedFields`, one for all objects. */
function managedReader(field: Field, hooks: DecodeHooks): CellReader {
  let reader = managedReaders.get(hooks);
  if (reader === undefined) {
    reader = (kept, from, to) => {
      setSubject("ObjectMeta.managedFields", 0);
      beginObject("keep", hooks);
      return decodeMessage(kept, from, to, partOf(field))[field.key];
    };
    managedReaders.set(hooks, reader);
  }
  return reader;
}

/** Messages that consist of a single field. */
const messages = new WeakMap<Field, MessageType>();

function partOf(field: Field): MessageType {
  let message = messages.get(field);
  if (message === undefined) messages.set(field, (message = new MessageType("ObjectMeta", [field], 0, false)));
  return message;
}

/** Message type without required fields, and the decoders for its parts. */
class PartialType extends MessageType {
  readonly readers: WeakMap<DecodeHooks, Partial<Record<ManagedFields, CellReader>>> = new WeakMap();
}

const partials = new WeakMap<MessageType, PartialType>();
let lastType: MessageType | undefined;
let lastPartial: PartialType | undefined;

/** Returns the message type without required fields, for decoding parts of a message. */
export function partialType(type: MessageType): PartialType {
  if (type === lastType) return lastPartial!;
  let partial = partials.get(type);
  if (partial === undefined) {
    partial = new PartialType(type.name, type.list, 0, false);
    partials.set(type, partial);
  }
  lastType = type;
  lastPartial = partial;
  return partial;
}
