/** A failed evaluation. The message has cel-go's wording. */
export class CelError extends Error {
  /** Name of the class. */
  override readonly name = "CelError";
  /** Cost up to the failure. */
  cost = 0;
}

export class CelUint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A point in time, in nanoseconds since the epoch. */
export class CelTimestamp {
  readonly ns: bigint;
  constructor(ns: bigint) {
    this.ns = ns;
  }
}

/** A duration in nanoseconds. */
export class CelDuration {
  readonly ns: bigint;
  constructor(ns: bigint) {
    this.ns = ns;
  }
}

/** A value that may be missing. */
export class CelOptional {
  readonly value: CelValue | undefined;
  constructor(value?: CelValue) {
    this.value = value;
  }
}

/** A type as a value, such as `type(1)` or `int`. */
export class CelType {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A value of a Kubernetes library type, such as `quantity("1")`. It implements its own methods. */
export abstract class CelOpaque {
  abstract readonly typeName: string;
  /** Calls a method; returns `undefined` for an unknown one. */
  abstract call(method: string, args: readonly CelValue[]): CelValue | undefined;
  abstract equals(other: CelOpaque): boolean;

  /** Steps that a method takes in addition to its cost. */
  get weight(): number {
    return 0;
  }

  /** Returns the run-time cost of a method. */
  steps(_method: string, _args: readonly CelValue[]): number {
    return 1;
  }
}

/** A map or object. */
export interface CelMap {
  readonly isCelMap: true;
  /** Returns the value of a key, or `undefined`. */
  get(key: CelValue): CelValue | undefined;
  /** Returns true if a key is in the map. Default: if it has a value. */
  has?(key: CelValue): boolean;
  /** Returns the value of a field by its escaped name, or `undefined`. */
  field(name: string): CelValue | undefined;
  /** Returns all keys. Repeated calls cost nothing. */
  keys(): readonly CelValue[];
  readonly size: number;
}

/** Any CEL value. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelUint
  | CelTimestamp
  | CelDuration
  | CelOptional
  | CelType
  | CelOpaque
  | CelMap
  | CelList;

/** A list; `unordered` lists are sets. */
export interface CelList extends ReadonlyArray<CelValue> {
  readonly listType?: "set" | "map";
  readonly mapKeys?: readonly string[];
}

export function isCelMap(value: unknown): value is CelMap {
  return typeof value === "object" && value !== null && (value as { isCelMap?: unknown }).isCelMap === true;
}

export function isCelList(value: CelValue): value is CelList {
  return Array.isArray(value);
}

export function celTypeName(value: CelValue): string {
  if (value === null) return "null_type";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
    default:
      break;
  }
  if (value instanceof CelUint) return "uint";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof CelTimestamp) return "google.protobuf.Timestamp";
  if (value instanceof CelDuration) return "google.protobuf.Duration";
  if (value instanceof CelOptional) return "optional_type";
  if (value instanceof CelType) return "type";
  if (value instanceof CelOpaque || value instanceof CelMessage) return value.typeName;
  return isCelMap(value) ? "map" : "list";
}

/** A map created by an expression. */
export class LiteralMap implements CelMap {
  readonly isCelMap = true;
  readonly #entries: Map<string, [CelValue, CelValue]>;
  #keys: readonly CelValue[] | undefined;

  constructor(entries: readonly (readonly [CelValue, CelValue])[]) {
    this.#entries = new Map();
    for (const [key, value] of entries) this.#entries.set(keyText(key), [key, value]);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: CelValue): CelValue | undefined {
    return this.#entries.get(keyText(key))?.[1];
  }

  field(name: string): CelValue | undefined {
    return this.get(name);
  }

  keys(): readonly CelValue[] {
    return (this.#keys ??= [...this.#entries.values()].map(([key]) => key));
  }
}

/** A map whose values are computed on first use. */
export class LazyMap implements CelMap {
  readonly isCelMap = true;
  readonly #makers: ReadonlyMap<string, () => CelValue>;
  readonly #made = new Map<string, CelValue>();

  constructor(makers: readonly (readonly [string, () => CelValue])[]) {
    this.#makers = new Map(makers);
  }

  get size(): number {
    return this.#makers.size;
  }

  get(key: CelValue): CelValue | undefined {
    return typeof key === "string" ? this.field(key) : undefined;
  }

  field(name: string): CelValue | undefined {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const made = this.#makers.get(name)?.();
    if (made !== undefined) this.#made.set(name, made);
    return made;
  }

  keys(): readonly CelValue[] {
    return [...this.#makers.keys()];
  }
}

/** A message created by an expression, such as `Object{…}`. */
export class CelMessage extends LiteralMap {
  /** Name of the message type. */
  readonly typeName: string;

  constructor(typeName: string, fields: readonly (readonly [string, CelValue])[]) {
    super(fields);
    this.typeName = typeName;
  }
}

/** Returns a text that is the same for equal keys. */
export function keyText(key: CelValue): string {
  if (key instanceof CelUint) return `n${key.value}`;
  if (typeof key === "bigint" || (typeof key === "number" && Number.isInteger(key))) return `n${key}`;
  return `${typeof key}${String(key)}`;
}
