import { findParts } from "../../codec/lazy.js";
import { utf8Encode } from "../../internal/bytes.js";
import type { Clock } from "../../internal/clock.js";
import { pushAll } from "../../internal/push-all.js";
import { utf8Slice } from "../../internal/text.js";
import { createYielder } from "../../internal/yielder.js";
import {
  createStoredObject,
  invalidSnapshot,
  parseStoredObject,
  type StoredShape,
  unreadBytes,
} from "./stored-object.js";

/** A store at one version. */
export interface StoreSnapshot {
  /** Server, collection and options that the objects belong to. */
  readonly name: string;
  /** Version of the collection. */
  readonly resourceVersion: string;
  /** Objects by their key in a store. */
  readonly objects: ReadonlyMap<string, object>;
}

/** A `CryptoKey` of WebCrypto for AES-GCM, in terms that programs without the types of browsers know. */
export interface EncryptionKey {
  /** Algorithm of the key. */
  readonly algorithm: {
    /** `AES-GCM`. */
    readonly name: string;
  };
}

const encoder = new TextEncoder();

/** Format and its version. A change of the format changes the number. */
const magic = "kubestream-store/2\n";
/** Objects of a block. The clock is checked between blocks. */
const objectsAtOnce = 512;
/** Most fields of an object that is parsed on demand. Objects with more are parsed at once. */
const mostFields = 16;
/** First size of a block in bytes; it grows. */
const bytesOfBlock = 512 * 1024;
/** Time to work before yielding to the event loop (ms). */
const sliceMs = 4;

/** Line of JSON before the objects of a block. */
interface BlockIndex {
  /** Keys of the objects. */
  readonly keys: readonly string[];
  /** Bytes of each object. */
  readonly sizes: readonly number[];
  /** Lists of fields that objects of the block have. */
  readonly fields: readonly (readonly string[])[];
  /** Position in `fields` for each object; -1 for an object with more than 16 fields. */
  readonly shapes: readonly number[];
}

/**
 * Encodes a snapshot: magic, mode, then a SHA-256 checksum and the content. The content is a line of JSON with name,
 * version and number of objects, and blocks with an index and the JSON of their objects. With a key, checksum and content
 * are encrypted with AES-GCM, bound to the snapshot's name.
 */
export async function encodeSnapshot(
  snapshot: StoreSnapshot,
  key: EncryptionKey | undefined,
  clock: Clock,
): Promise<Uint8Array<ArrayBuffer>> {
  const { name, resourceVersion, objects } = snapshot;
  const yielder = createYielder(clock, sliceMs);
  const parts = [utf8Encode(`${JSON.stringify({ name, resourceVersion, count: objects.size })}\n`)];
  const entries = [...objects];
  for (let i = 0; i < entries.length; i += objectsAtOnce) {
    pushAll(parts, encodeBlock(entries.slice(i, i + objectsAtOnce)));
    const pause = yielder.pause();
    if (pause !== undefined) await pause;
  }
  yielder.close();
  const content = concat(parts);
  const body = concat([new Uint8Array(await subtle().digest("SHA-256", content)), content]);
  if (key === undefined) return concat([utf8Encode(`${magic}p`), body]);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const additionalData = new TextEncoder().encode(name);
  const sealed = await subtle().encrypt({ name: "AES-GCM", iv, additionalData }, key as CryptoKey, body);
  return concat([utf8Encode(`${magic}e`), iv, new Uint8Array(sealed)]);
}

function encodeBlock(entries: readonly (readonly [key: string, object: object])[]): readonly Uint8Array[] {
  const keys: string[] = [];
  const sizes: number[] = [];
  const shapes: number[] = [];
  const known = new Map<string, number>();
  let block = new Uint8Array(bytesOfBlock);
  let length = 0;
  for (const [key, object] of entries) {
    const json = unreadBytes(object) ?? JSON.stringify(object);
    // One unit of UTF-16 takes at most three bytes.
    if (length + json.length * 3 > block.length) {
      const larger = new Uint8Array((length + json.length * 3) * 2);
      larger.set(block);
      block = larger;
    }
    if (typeof json === "string") sizes.push(encoder.encodeInto(json, block.subarray(length)).written);
    else {
      block.set(json, length);
      sizes.push(json.length);
    }
    length += sizes.at(-1)!;
    keys.push(key);
    const fields = fieldsOf(object);
    const shape = fields.join("\n");
    if (fields.length > mostFields) shapes.push(-1);
    else {
      if (!known.has(shape)) known.set(shape, known.size);
      shapes.push(known.get(shape)!);
    }
  }
  const fields = Array.from(known.keys(), (shape) => shape.split("\n"));
  const index: BlockIndex = { keys, sizes, fields, shapes };
  return [utf8Encode(`${JSON.stringify(index)}\n`), block.subarray(0, length)];
}

/** Returns the names of the fields that JSON keeps. */
function fieldsOf(object: object): readonly string[] {
  const parts = findParts(object);
  if (parts !== undefined && parts.keys.length === Object.keys(object).length) return parts.keys;
  return Object.entries(object).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

/**
 * Decodes a snapshot and verifies it. Its objects are parsed when they are read. Rejects with a `ProtocolError` that
 * contains nothing of the content if the format, checksum, name or number of objects is wrong, or if it is encrypted with
 * another key or not at all.
 */
export async function decodeSnapshot(
  bytes: Uint8Array,
  name: string,
  key: EncryptionKey | undefined,
  clock: Clock,
): Promise<StoreSnapshot & { readonly objects: Map<string, object> }> {
  if (!ArrayBuffer.isView(bytes)) throw invalidSnapshot("the storage returned something other than bytes");
  const head = utf8Slice(bytes, 0, Math.min(bytes.length, magic.length + 1));
  const mode = key === undefined ? "p" : "e";
  if (head !== magic + mode) throw invalidSnapshot(head.startsWith(magic) ? "wrong encryption mode" : "unknown format");
  const body = await open(bytes.subarray(magic.length + 1) as Uint8Array<ArrayBuffer>, name, key);
  const content = body.subarray(32);
  const digest = new Uint8Array(await subtle().digest("SHA-256", content));
  if (!digest.every((byte, i) => byte === body[i])) throw invalidSnapshot("wrong checksum");
  const header = readLine(content, 0);
  const { name: owner, resourceVersion, count } = header.value;
  if (owner !== name) throw invalidSnapshot("it belongs to another collection or server");
  if (typeof resourceVersion !== "string" || resourceVersion === "") throw invalidSnapshot("no resourceVersion");
  const objects = new Map<string, object>();
  const yielder = createYielder(clock, sliceMs);
  for (let at = header.end; at < content.length; ) {
    at = decodeBlock(content, at, objects);
    const pause = yielder.pause();
    if (pause !== undefined) await pause;
  }
  yielder.close();
  if (objects.size !== count) throw invalidSnapshot("wrong number of objects");
  return { name, resourceVersion, objects };
}

/** Adds the objects of a block. Returns the offset after it. */
function decodeBlock(content: Uint8Array, start: number, objects: Map<string, object>): number {
  const { value, end } = readLine(content, start);
  const { keys, sizes, fields, shapes } = checkedIndex(value);
  let at = end;
  const known = fields.map((names): StoredShape => ({ bytes: content, fields: names }));
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const from = at;
    at += sizes[i]!;
    if (at > content.length) throw invalidSnapshot("it has no end");
    const shape = known[shapes[i]!];
    objects.set(
      key,
      shape === undefined ? parseStoredObject(content, from, at, key) : createStoredObject(shape, from, at, key),
    );
  }
  return at;
}

function checkedIndex(value: Readonly<Record<string, unknown>>): BlockIndex {
  const { keys, sizes, fields, shapes } = value as { readonly [Field in keyof BlockIndex]: unknown };
  const isList = <V>(list: unknown, isValid: (each: unknown) => each is V): list is V[] =>
    Array.isArray(list) && list.every(isValid);
  const isName = (each: unknown): each is string => typeof each === "string" && each !== "";
  const isNumber = (each: unknown): each is number => Number.isSafeInteger(each) && (each as number) >= -1;
  const isFields = (each: unknown): each is string[] =>
    isList(each, (name) => typeof name === "string") && each.length <= mostFields;
  const lists = { keys, sizes, fields, shapes };
  if (
    !isList(lists.keys, isName) ||
    !isList(lists.sizes, isNumber) ||
    !isList(lists.shapes, isNumber) ||
    !isList(lists.fields, isFields) ||
    lists.keys.length === 0 ||
    lists.keys.length !== lists.sizes.length ||
    lists.keys.length !== lists.shapes.length ||
    lists.sizes.includes(-1)
  )
    throw invalidSnapshot("malformed index");
  return lists as BlockIndex;
}

/** Parses a line that holds an object. The errors of `JSON.parse` would quote it. */
function readLine(
  content: Uint8Array,
  start: number,
): { readonly value: Readonly<Record<string, unknown>>; readonly end: number } {
  // A line feed within a string is escaped.
  const end = content.indexOf(10, start);
  if (end < 0) throw invalidSnapshot("it has no end");
  let value: unknown;
  try {
    value = JSON.parse(utf8Slice(content, start, end));
  } catch {
    throw invalidSnapshot("malformed JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalidSnapshot("a line is not an object");
  return { value: value as Readonly<Record<string, unknown>>, end: end + 1 };
}

async function open(
  bytes: Uint8Array<ArrayBuffer>,
  name: string,
  key: EncryptionKey | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  if (key === undefined) return bytes;
  const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, 12), additionalData: new TextEncoder().encode(name) };
  try {
    return new Uint8Array(await subtle().decrypt(algorithm, key as CryptoKey, bytes.subarray(12)));
  } catch {
    throw invalidSnapshot("it can't be decrypted with this key");
  }
}

/** Returns WebCrypto, which browsers offer only to pages from HTTPS or localhost. */
function subtle(): SubtleCrypto {
  const { subtle } = globalThis.crypto as { subtle?: SubtleCrypto };
  if (subtle === undefined) throw new TypeError("persisted stores need WebCrypto: serve the page over HTTPS");
  return subtle;
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
