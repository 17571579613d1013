import { copyBytes } from "../internal/bytes.js";
import { type ByteRange, sameBytes } from "../internal/text.js";

/** Decodes the bytes kept in a cell. `owner` is the object that the property belongs to. */
export type CellReader = (bytes: Uint8Array, start: number, end: number, key: string, owner: object) => unknown;

/**
 * Property of a decoded object together with its bytes. They're either not decoded yet, or kept to compare them with
 * the next version of the object. Versions with equal bytes share the cell and its value.
 */
export class Cell {
  /** Name of the property. */
  readonly key: string;
  /** Bytes of the property; `undefined` once decoded, unless they are kept for comparison. */
  bytes: Uint8Array | undefined;
  /** Offset of the value in `bytes`. */
  readonly start: number;
  /** Offset after the value in `bytes`. */
  readonly end: number;
  /** True to keep the bytes after decoding. */
  readonly keep: boolean;
  /** Decoder; `undefined` once it has run. */
  reader: CellReader | undefined;
  /** Decoded value; unset while there is a reader. */
  value: unknown;

  /** With a `reader`, the cell is decoded later; otherwise `value` is its value. */
  constructor(
    key: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    keep: boolean,
    reader: CellReader | undefined,
    value?: unknown,
  ) {
    this.key = key;
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.keep = keep;
    this.reader = reader;
    this.value = value;
  }

  /** Returns the value and decodes it on the first call. */
  get(owner: object): unknown {
    if (this.reader === undefined) return this.value;
    this.value = this.reader(this.bytes!, this.start, this.end, this.key, owner);
    this.reader = undefined;
    if (!this.keep) this.bytes = undefined;
    return this.value;
  }

  /** Returns true if the value came from exactly these bytes. */
  holds(bytes: Uint8Array, start: number, end: number): boolean {
    return this.bytes !== undefined && sameBytes(this as ByteRange, bytes, start, end);
  }
}

/**
 * Kept parts up to this length share arrays of `slabBytes`, because an array of their own would cost more than their
 * bytes.
 */
const smallBytes = 512;

/** Maximum number of bytes that one object can keep alive after the other objects in the same array are gone. */
const slabBytes = 2048;

let slab = new Uint8Array(0);
let used = 0;

/** Copies bytes to keep and returns the array that contains them. Sets `keptAt` to their offset. */
export function keepBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const length = end - start;
  if (length > smallBytes) {
    keptAt = 0;
    return copyBytes(bytes, start, end);
  }
  if (used + length > slab.length) {
    slab = new Uint8Array(slabBytes);
    used = 0;
  }
  slab.set(bytes.subarray(start, end), used);
  keptAt = used;
  used += length;
  return slab;
}

/** Offset of the bytes that `keepBytes` copied last. */
export let keptAt = 0;

/** Property for the cells of an object. It isn't enumerable, so copies and comparisons ignore it. */
const cellsSymbol = Symbol("kubestream.cells");

/** Deferred properties of an object that are stored together. */
export interface DeferredParts {
  /** Names of the properties. */
  readonly keys: readonly string[];
  /** Returns the value of a property. `owner` is the object that it belongs to. */
  get(key: string, owner: object): unknown;
  /** Makes `get` freeze what it returns. Absent if it always does. */
  freeze?(freeze: (value: unknown) => unknown): void;
}

interface Carrier {
  [cellsSymbol]?: readonly Cell[] | DeferredParts;
}

function isParts(cells: readonly Cell[] | DeferredParts): cells is DeferredParts {
  return !Array.isArray(cells);
}

/** Returns the deferred properties of an object that are stored together. */
export function findParts(object: object): DeferredParts | undefined {
  const cells = (object as Carrier)[cellsSymbol];
  return cells !== undefined && isParts(cells) ? cells : undefined;
}

/** Returns the cell of a property, `undefined` if the object has none for it. */
export function findCell(object: object, key: string): Cell | undefined {
  const cells = (object as Carrier)[cellsSymbol];
  if (cells !== undefined && !isParts(cells)) for (const cell of cells) if (cell.key === key) return cell;
  return undefined;
}

const carrierDescriptor: PropertyDescriptor = {
  value: undefined,
  enumerable: false,
  writable: true,
  configurable: true,
};

const frozenReaders = new WeakMap<CellReader, CellReader>();

/**
 * Makes the cells of a frozen object freeze their values when they are decoded. Returns the keys of those that aren't,
 * `undefined` if the object has no cells.
 */
export function freezeCells(object: object, freeze: (value: unknown) => unknown): ReadonlySet<string> | undefined {
  const cells = (object as Carrier)[cellsSymbol];
  if (cells === undefined) return undefined;
  if (isParts(cells)) {
    cells.freeze?.(freeze);
    return new Set(cells.keys);
  }
  const deferred = new Set<string>();
  for (const cell of cells) {
    const { reader } = cell;
    if (reader === undefined) continue;
    deferred.add(cell.key);
    if (freezing.has(reader)) continue;
    let frozen = frozenReaders.get(reader);
    if (frozen === undefined) {
      frozen = (bytes, start, end, key, owner) => freeze(reader(bytes, start, end, key, owner));
      frozenReaders.set(reader, frozen);
      freezing.add(frozen);
    }
    cell.reader = frozen;
  }
  return deferred;
}

/** Readers that freeze what they return. */
const freezing = new WeakSet<CellReader>();

const inspectSymbol = Symbol.for("nodejs.util.inspect.custom");

/** Shows values instead of accessors in `console.log`. */
const inspectDescriptor: PropertyDescriptor = {
  value(this: object, _depth: number, options: object, inspect?: (value: unknown, options: object) => string): unknown {
    return inspect === undefined ? { ...this } : inspect({ ...this }, options);
  },
  enumerable: false,
  writable: true,
  configurable: true,
};

/** Attaches deferred properties to an object. */
export function keepCells(object: object, cells: readonly Cell[] | DeferredParts): void {
  carrierDescriptor.value = cells;
  Object.defineProperty(object, cellsSymbol, carrierDescriptor);
  Object.defineProperty(object, inspectSymbol, inspectDescriptor);
  carrierDescriptor.value = undefined;
}

/** Defines a property that is decoded when it's read. */
export function defineDeferred(object: object, key: string): void {
  Object.defineProperty(object, key, accessorOf(key));
}

/**
 * Defines the property of a cell: an accessor while it isn't decoded, else its value. The accessor stays after
 * decoding, because V8 gives a slow shape to each object whose accessor becomes a value, and to objects that don't
 * share one getter per key. Frozen objects work, too.
 */
export function defineCell(object: object, cell: Cell): void {
  if (cell.reader !== undefined) Object.defineProperty(object, cell.key, accessorOf(cell.key));
  else (object as Record<string, unknown>)[cell.key] = cell.value;
}

const accessors = new Map<string, PropertyDescriptor>();
const maxAccessors = 1024;

function accessorOf(key: string): PropertyDescriptor {
  let accessor = accessors.get(key);
  if (accessor === undefined) {
    accessor = {
      get(this: object): unknown {
        const cells = (this as Carrier)[cellsSymbol];
        if (cells !== undefined && isParts(cells)) return cells.get(key, this);
        return findCell(this, key)?.get(this);
      },
      set(this: object, value: unknown): void {
        Object.defineProperty(this, key, { value, enumerable: true, configurable: true, writable: true });
      },
      enumerable: true,
      configurable: true,
    };
    if (accessors.size >= maxAccessors) accessors.clear();
    accessors.set(key, accessor);
  }
  return accessor;
}

/** Compares two decoded values: plain objects, arrays and scalars. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!sameValue(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  if (Object.getOwnPropertySymbols(a).length > 0 || Object.getOwnPropertySymbols(b).length > 0) return false;
  for (const key of keys) {
    if (!Object.hasOwn(b, key) || !sameValue((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
      return false;
  }
  return true;
}
