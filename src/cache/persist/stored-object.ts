import { type DeferredParts, defineDeferred, findParts, keepCells } from "../../codec/lazy.js";
import { ProtocolError } from "../../errors/errors.js";
import { utf8Slice } from "../../internal/text.js";
import { metadataOf, objectKey } from "../store/object-key.js";

/** Objects of a block of a snapshot that have the same fields. */
export interface StoredShape {
  /** Bytes that contain the objects' JSON. */
  readonly bytes: Uint8Array;
  /** Names of the fields. */
  readonly fields: readonly string[];
  /** Freezes an object; absent if the objects needn't be frozen. */
  freeze?: (value: unknown) => unknown;
}

/**
 * Returns an object whose JSON is parsed when one of its fields is first read. Reading throws a `ProtocolError` if the
 * bytes aren't the object with this key, which only a forged snapshot with a right checksum can cause.
 */
export function createStoredObject(shape: StoredShape, start: number, end: number, key: string): object {
  const object = {};
  keepCells(object, new StoredFields(shape, start, end, key));
  for (const field of shape.fields) defineDeferred(object, field);
  return object;
}

/** Returns the JSON of an object from a snapshot, as long as no field was read. */
export function unreadBytes(object: object): Uint8Array | undefined {
  const parts = findParts(object);
  return parts instanceof StoredFields ? parts.unread : undefined;
}

/** Parses the JSON of an object. Throws a `ProtocolError` that contains nothing of it. */
export function parseStoredObject(bytes: Uint8Array, start: number, end: number, key: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(utf8Slice(bytes, start, end));
  } catch {
    throw invalidSnapshot("malformed JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalidSnapshot("an object is missing");
  const { name, namespace = "" } = (metadataOf(value) ?? {}) as { name?: unknown; namespace?: unknown };
  if (typeof name !== "string" || typeof namespace !== "string" || objectKey(value) !== key)
    throw invalidSnapshot("an object has no name, or the name of another object");
  return value as Record<string, unknown>;
}

/** Returns the error for a snapshot that can't be used. */
export function invalidSnapshot(reason: string): ProtocolError {
  return new ProtocolError(`persisted store is invalid: ${reason}`);
}

/** The fields of one object. They are private, so that copies of the object don't copy the bytes. */
class StoredFields implements DeferredParts {
  readonly #shape: StoredShape;
  readonly #start: number;
  readonly #end: number;
  readonly #key: string;
  #value: Record<string, unknown> | undefined;

  constructor(shape: StoredShape, start: number, end: number, key: string) {
    this.#shape = shape;
    this.#start = start;
    this.#end = end;
    this.#key = key;
  }

  get keys(): readonly string[] {
    return this.#shape.fields;
  }

  get unread(): Uint8Array | undefined {
    return this.#value === undefined ? this.#shape.bytes.subarray(this.#start, this.#end) : undefined;
  }

  get(key: string): unknown {
    if (this.#value === undefined) {
      this.#value = parseStoredObject(this.#shape.bytes, this.#start, this.#end, this.#key);
      this.#shape.freeze?.(this.#value);
    }
    return this.#value[key];
  }

  /** All objects of a snapshot belong to one store, so they are frozen together. */
  freeze(freeze: (value: unknown) => unknown): void {
    this.#shape.freeze = freeze;
    if (this.#value !== undefined) freeze(this.#value);
  }
}
