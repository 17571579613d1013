import { latin1Slice } from "../../internal/latin1.js";
import { deepFreeze } from "../freeze.js";

interface Entry {
  /** Field that the value belongs to. */
  readonly field: object;
  /** Bytes that the value was decoded from, one character each. */
  readonly text: string;
  readonly value: unknown;
  /** Kept, because making room would otherwise hash every text again in one task. */
  readonly hash: number;
}

/** Makes hashes unpredictable. */
const seed = Math.trunc(Math.random() * 0x7fffffff);

const fewestSlots = 512;
const mostSlots = 16_384;

/** Shortest and longest bytes of a shared value. */
const shortest = 16;
const longest = 1024;

/**
 * Decoded values by their bytes. They're frozen, because many objects refer to the same one. A value replaces another one
 * with a similar hash, so the number is bounded, and a lookup compares the bytes of one.
 */
export class SharedValues {
  #slots: (Entry | undefined)[] = new Array<Entry | undefined>(fewestSlots).fill(undefined);
  /** Hashes that were seen once: a value is kept when its bytes arrive for the second time. */
  #seen = new Int32Array(fewestSlots);

  /** Makes room for the values of this number of objects. */
  reserve(objects: number): void {
    const size = this.#slots.length;
    if (size >= mostSlots || objects < size * 4) return;
    const old = this.#slots;
    this.#slots = new Array<Entry | undefined>(size * 2).fill(undefined);
    this.#seen = new Int32Array(size * 2);
    for (const entry of old) if (entry !== undefined) this.#slots[entry.hash & (size * 2 - 1)] = entry;
  }

  /** Returns a hash of bytes; -1 if a value of this length isn't shared. */
  hash(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    return length < shortest || length > longest ? -1 : hashBytes(bytes, start, end);
  }

  /** Returns the value of a field that was decoded from equal bytes; `undefined` if it isn't kept. */
  get(hash: number, field: object, bytes: Uint8Array, start: number, end: number): unknown {
    const entry = this.#slots[hash & (this.#slots.length - 1)];
    if (entry === undefined || entry.field !== field || entry.text.length !== end - start) return undefined;
    const { text } = entry;
    for (let i = 0, p = start; p < end; ) if (text.charCodeAt(i++) !== bytes[p++]) return undefined;
    return entry.value;
  }

  /** Keeps and freezes a value whose hash comes for the second time. */
  set(hash: number, field: object, bytes: Uint8Array, start: number, end: number, value: unknown): void {
    const slot = hash & (this.#slots.length - 1);
    if (this.#seen[slot] === hash)
      this.#slots[slot] = { field, text: latin1Slice(bytes, start, end), value: deepFreeze(value), hash };
    else this.#seen[slot] = hash;
  }
}

function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = seed ^ (end - start);
  let p = start;
  for (; p + 4 <= end; p += 4) {
    const word = bytes[p]! | (bytes[p + 1]! << 8) | (bytes[p + 2]! << 16) | (bytes[p + 3]! << 24);
    hash = Math.imul(hash ^ word, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; p < end; p++) hash = Math.imul(hash ^ bytes[p]!, 0x01000193);
  return (hash ^ (hash >>> 13)) & 0x7fffffff;
}

/** Values that the current decoding shares; `undefined` for none. */
export let sharedValues: SharedValues | undefined;

/** Sets the values that are shared until the next call. */
export function shareValues(values: SharedValues | undefined): void {
  sharedValues = values;
}

/** Returns a copy of a shared value that can be modified, for messages that were split. */
export function thaw(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !Object.isFrozen(value) || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map(thaw);
  const copy: Record<PropertyKey, unknown> = {};
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key)!;
    if ("value" in property) property.value = thaw(property.value);
    Object.defineProperty(copy, key, {
      ...property,
      configurable: true,
      ...("value" in property && { writable: true }),
    });
  }
  return copy;
}
