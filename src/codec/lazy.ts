import { copyBytes } from "../internal/bytes.js";
import { type ByteRange, sameBytes } from "../internal/text.js";

/** Decodes the bytes that a cell kept; `owner` is the object the property belongs to. */
export type CellReader = (bytes: Uint8Array, start: number, end: number, key: string, owner: object) => unknown;

/**
 * One property of a decoded object together with the bytes it came from: not decoded yet, or kept so that the next
 * version of the object can be compared with it. Versions whose bytes are equal share the cell, and with it the value.
 */
export class Cell {
  /** Name of the property. */
  readonly key: string;
  /** The bytes; `undefined` once they are decoded and not needed for comparison. */
  bytes: Uint8Array | undefined;
  /** Where the value begins in `bytes`. */
  readonly start: number;
  /** Where the value ends in `bytes`. */
  readonly end: number;
  /** Whether the bytes stay after the value was decoded. */
  readonly keep: boolean;
  /** The decoder; `undefined` once it ran. */
  reader: CellReader | undefined;
  /** The value; of no meaning while there is a reader. */
  value: unknown;

  /** With a `reader` the cell is not decoded yet; otherwise it is given its value. */
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

  /** The value, decoded at the first call. */
  get(owner: object): unknown {
    if (this.reader === undefined) return this.value;
    this.value = this.reader(this.bytes!, this.start, this.end, this.key, owner);
    this.reader = undefined;
    if (!this.keep) this.bytes = undefined;
    return this.value;
  }

  /** Whether the value came from exactly these bytes. */
  holds(bytes: Uint8Array, start: number, end: number): boolean {
    return this.bytes !== undefined && sameBytes(this as ByteRange, bytes, start, end);
  }
}

/** Kept parts up to this length stand together in arrays of `SLAB`: an array of its own costs more than their bytes do. */
const SMALL = 512;

/** As much is kept from being freed, at most, by an object whose neighbours in the same array are gone. */
const SLAB = 2048;

let slab = new Uint8Array(0);
let used = 0;

/** Copies bytes that are to be kept. Answers with the array they are now in; where they begin there is `keptAt`. */
export function keepBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const length = end - start;
  if (length > SMALL) {
    keptAt = 0;
    return copyBytes(bytes, start, end);
  }
  if (used + length > slab.length) {
    slab = new Uint8Array(SLAB);
    used = 0;
  }
  slab.set(bytes.subarray(start, end), used);
  keptAt = used;
  used += length;
  return slab;
}

/** Where the bytes that `keepBytes` copied last begin. */
export let keptAt = 0;

/** Under this symbol an object holds its cells; not enumerable, so copies and comparisons do not see it. */
const CELLS = Symbol("kubestream.cells");

interface Carrier {
  [CELLS]?: readonly Cell[];
}

/** The cell of one property; `undefined` if the object keeps none for it. */
export function findCell(object: object, key: string): Cell | undefined {
  const cells = (object as Carrier)[CELLS];
  if (cells !== undefined) for (const cell of cells) if (cell.key === key) return cell;
  return undefined;
}

const carrierDescriptor: PropertyDescriptor = {
  value: undefined,
  enumerable: false,
  writable: true,
  configurable: true,
};

/** Lets an object keep cells. */
export function keepCells(object: object, cells: readonly Cell[]): void {
  carrierDescriptor.value = cells;
  Object.defineProperty(object, CELLS, carrierDescriptor);
  carrierDescriptor.value = undefined;
}

/**
 * Defines the property of a cell: an accessor while it is not decoded, its value otherwise. The accessor stays when the
 * value is there: V8 gives objects whose accessors turn into values slow shapes, each its own, and so it does where
 * objects do not share one getter for each key. A frozen object needs nothing to be changed either.
 */
export function defineCell(object: object, cell: Cell): void {
  if (cell.reader !== undefined) Object.defineProperty(object, cell.key, accessorOf(cell.key));
  else (object as Record<string, unknown>)[cell.key] = cell.value;
}

const accessors = new Map<string, PropertyDescriptor>();
const MAX_ACCESSORS = 1024;

function accessorOf(key: string): PropertyDescriptor {
  let accessor = accessors.get(key);
  if (accessor === undefined) {
    accessor = {
      get(this: object): unknown {
        return findCell(this, key)?.get(this);
      },
      set(this: object, value: unknown): void {
        Object.defineProperty(this, key, { value, enumerable: true, configurable: true, writable: true });
      },
      enumerable: true,
      configurable: true,
    };
    if (accessors.size >= MAX_ACCESSORS) accessors.clear();
    accessors.set(key, accessor);
  }
  return accessor;
}

/** Whether two decoded values are equal: plain objects, arrays and scalars. */
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
