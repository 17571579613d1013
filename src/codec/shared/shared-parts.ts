import { latin1Slice } from "../../internal/latin1.js";
import { deepFreeze } from "../freeze.js";
import { type CellReader, type DeferredParts, findParts, keepCells } from "../lazy.js";
import {
  appendDelta,
  appendGuided,
  Base,
  beginDelta,
  deltaLength,
  emptyBase,
  endDelta,
  restore,
  restoredLength,
} from "./delta.js";
import { SharedValues, shareValues } from "./shared-values.js";

/** Properties that objects of one shape defer. */
interface Layout {
  /** Names of the properties, in the order of their bytes. */
  readonly keys: readonly string[];
  /** Decoder of each property. */
  readonly readers: readonly CellReader[];
  /** Values that the decoders share. */
  readonly values: SharedValues;
}

/** The deferred properties of an object, stored as differences from the bytes of a similar object. */
class SharedParts implements DeferredParts {
  readonly layout: Layout;
  readonly base: Base;
  readonly delta: string;
  /** Decoded values. Weak, because they can be decoded again: reading all objects once must not keep them all. */
  #views: (WeakRef<object> | undefined)[] | undefined = undefined;

  constructor(layout: Layout, base: Base, delta: string) {
    this.layout = layout;
    this.base = base;
    this.delta = delta;
  }

  get keys(): readonly string[] {
    return this.layout.keys;
  }

  get(key: string, owner: object): unknown {
    const { keys, readers, values } = this.layout;
    const number = keys.indexOf(key);
    if (number < 0) return undefined;
    const known = this.#views?.[number];
    const view = known?.deref();
    if (view !== undefined) return view;
    const bytes = restore(this.base, this.delta, number);
    let value: unknown;
    shareValues(values);
    try {
      // Unknown fields are counted once per owner.
      value = deepFreeze(readers[number]!(bytes, 0, restoredLength, key, known === undefined ? owner : {}));
    } finally {
      shareValues(undefined);
    }
    if (typeof value !== "object" || value === null) return value;
    this.#views ??= new Array<WeakRef<object> | undefined>(keys.length).fill(undefined);
    this.#views[number] = new WeakRef(value);
    return value;
  }
}

/** Differences that are computed in another thread, which decodes the same bytes in the same order. */
export interface DeltaExchange {
  /** Returns the difference of the next object, whose deferred properties have `total` bytes, if it was computed. */
  take?(total: number): { readonly base: Base; readonly delta: string } | undefined;
  /** Called after the difference of an object was computed. */
  stored?(base: Base, delta: string, total: number): void;
}

/** Longest object whose bytes are compared with others. */
const longestBytes = 1 << 20;

/** Number of bases whose index is kept. */
const mostIndexed = 64;

/** A base for objects with the same owner. */
interface Group {
  /** Unset after the first object, if that was similar to one of another group. */
  readonly base: WeakRef<Base> | undefined;
  /** Objects in a row that had little in common with the base. */
  misses: number;
  /** Objects that are stored without comparing them. */
  skip: number;
}

/**
 * Stores objects relative to similar ones. A base lives as long as an object is stored relative to it: the garbage
 * collector counts the references.
 */
export class SharedPool {
  /** Decoded values that objects share. */
  readonly values: SharedValues = new SharedValues();
  /** Other thread to exchange differences with. */
  exchange: DeltaExchange | undefined;
  readonly #scope: PoolScope;
  readonly #groups = new Map<string, Group>();
  readonly #layouts: Layout[] = [];
  /** Bases with an index, the oldest replaced first. */
  readonly #indexed: Base[] = [];
  #nextIndexed = 0;
  #latest: WeakRef<Base> | undefined;
  #objects = 0;
  #sweepAt = 1024;
  /** Bytes of all properties of the object. */
  #bytes = new Uint8Array(4096);
  #view = new DataView(this.#bytes.buffer);
  /** Offset after each property in `#bytes`. */
  #ends: number[] = [];
  /** Array that holds the object, and the offset of each property in it. */
  #source: Uint8Array = this.#bytes;
  #starts: number[] = [];
  #keys: string[] = [];
  #readers: CellReader[] = [];

  constructor(scope: PoolScope) {
    this.#scope = scope;
  }

  /** True if the object has no properties yet. */
  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  /** Starts an object. Returns false if it's too long. */
  begin(size: number): boolean {
    if (size > longestBytes) return false;
    this.#ends.length = this.#starts.length = this.#keys.length = this.#readers.length = 0;
    return true;
  }

  /** Adds a deferred property of the object. All properties of an object are in the same array. */
  add(key: string, bytes: Uint8Array, start: number, end: number, reader: CellReader): void {
    this.#source = bytes;
    this.#starts.push(start);
    this.#ends.push((this.#ends.at(-1) ?? 0) + end - start);
    this.#keys.push(key);
    this.#readers.push(reader);
  }

  /**
   * Stores the properties for their owners. Objects of one group are expected to be similar, and the versions of one
   * object even more so. The scope returns the last one if it's a store.
   */
  finish(owners: readonly object[], group: string, namespace: unknown, name: unknown): void {
    const total = this.#ends.at(-1) ?? 0;
    // A thread that only computes differences reads no values.
    if (this.exchange?.stored === undefined) this.values.reserve(++this.#objects);
    const parts = this.#taken(total) ?? this.#store(total, group, this.#lastVersion(namespace, name));
    this.#source = this.#bytes;
    for (const owner of owners) keepCells(owner, parts);
  }

  #taken(total: number): SharedParts | undefined {
    const taken = this.exchange?.take?.(total);
    return taken && new SharedParts(this.#layout(), taken.base, taken.delta);
  }

  /** Returns the parts of an object's version that the scope has. */
  #lastVersion(namespace: unknown, name: unknown): SharedParts | undefined {
    if (typeof this.#scope.get !== "function" || typeof name !== "string") return undefined;
    const key = typeof namespace === "string" && namespace !== "" ? `${namespace}/${name}` : name;
    const version = this.#scope.get(key);
    const parts = typeof version === "object" && version !== null ? findParts(version) : undefined;
    return parts instanceof SharedParts ? parts : undefined;
  }

  /** Copies the properties to `#bytes`. */
  #gather(total: number): void {
    if (this.#bytes.length < total) {
      this.#bytes = new Uint8Array(total * 2);
      this.#view = new DataView(this.#bytes.buffer);
    }
    let at = 0;
    for (const [i, start] of this.#starts.entries()) {
      const end = this.#ends[i]!;
      this.#bytes.set(this.#source.subarray(start, start + end - at), at);
      at = end;
    }
  }

  #store(total: number, name: string, last: SharedParts | undefined): SharedParts {
    this.#gather(total);
    const layout = this.#layout();
    if (last?.layout === layout && last.base !== emptyBase && this.#encode(last.base, last.delta) <= total >> 1)
      return this.#finished(layout, last.base, total);
    const group = this.#groups.get(name);
    const base = group?.base?.deref();
    if (group === undefined || base === undefined) {
      // A base costs its bytes, which a group of one object doesn't earn back: each pod of a CronJob has another owner.
      const latest = group === undefined ? this.#latest?.deref() : undefined;
      if (latest === undefined || this.#encode(latest) > total >> 2) return this.#found(layout, total, name);
      this.#setGroup(name, undefined);
      return this.#finished(layout, latest, total);
    }
    if (group.skip > 0) {
      group.skip--;
      return this.#alone(layout, total);
    }
    if (this.#encode(base) <= total - (total >> 2)) {
      group.misses = 0;
      return this.#finished(layout, base, total);
    }
    const { misses } = group;
    const parts = this.#found(layout, total, name);
    Object.assign(this.#groups.get(name)!, { misses: misses + 1, skip: misses < 2 ? 0 : 1 << Math.min(misses, 10) });
    return parts;
  }

  /** Encodes the object relative to a base, with the runs of an earlier version if possible. Returns the length. */
  #encode(base: Base, earlier?: string): number {
    beginDelta(earlier);
    let start = 0;
    for (const end of this.#ends) {
      if (!appendGuided(base, this.#bytes, start, end)) {
        this.#keepIndex(base);
        appendDelta(base, this.#bytes, this.#view, start, end);
      }
      start = end;
    }
    return deltaLength();
  }

  /** Counts a base whose index is about to be built. */
  #keepIndex(base: Base): void {
    if (base.index !== undefined) return;
    const oldest = this.#indexed[this.#nextIndexed];
    if (oldest !== undefined) oldest.index = undefined;
    this.#indexed[this.#nextIndexed] = base;
    this.#nextIndexed = (this.#nextIndexed + 1) % mostIndexed;
  }

  /** Stores the object by itself. */
  #alone(layout: Layout, total: number): SharedParts {
    this.#encode(emptyBase);
    return this.#finished(layout, emptyBase, total);
  }

  /** Ends an encoding. */
  #finished(layout: Layout, base: Base, total: number): SharedParts {
    const delta = endDelta(latin1Slice);
    this.exchange?.stored?.(base, delta, total);
    return new SharedParts(layout, base, delta);
  }

  /** Makes the object the base of a group. */
  #found(layout: Layout, total: number, name: string): SharedParts {
    const base = new Base(this.#bytes.slice(0, total));
    this.#setGroup(name, base);
    this.#latest = new WeakRef(base);
    this.#encode(base);
    return this.#finished(layout, base, total);
  }

  #setGroup(name: string, base: Base | undefined): void {
    if (this.#groups.size >= this.#sweepAt) {
      for (const [key, group] of this.#groups) if (group.base?.deref() === undefined) this.#groups.delete(key);
      this.#sweepAt = this.#groups.size * 2 + 1024;
    }
    this.#groups.set(name, { base: base && new WeakRef(base), misses: 0, skip: 0 });
  }

  #layout(): Layout {
    const [keys, readers] = [this.#keys, this.#readers];
    const equal = (a: readonly unknown[], b: readonly unknown[]): boolean =>
      a.length === b.length && a.every((value, i) => value === b[i]);
    const known = this.#layouts.find((layout) => equal(layout.keys, keys) && equal(layout.readers, readers));
    if (known !== undefined) return known;
    const layout: Layout = { keys: [...keys], readers: [...readers], values: this.values };
    if (this.#layouts.length < 64) this.#layouts.push(layout);
    return layout;
  }
}

/** Identity of a pool. A store of its objects, by `namespace/name` or `name`, returns their last versions. */
interface PoolScope {
  readonly get?: (key: string) => unknown;
}

const pools = new WeakMap<object, SharedPool>();

/** Returns the pool that belongs to an object, which is created on first use and lives as long. */
export function poolFor(scope: object): SharedPool {
  let pool = pools.get(scope);
  if (pool === undefined) pools.set(scope, (pool = new SharedPool(scope)));
  return pool;
}
