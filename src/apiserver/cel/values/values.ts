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
  /** Returns the value of a field by its escaped name, or `undefined`. */
  field(name: string): CelValue | undefined;
  keys(): CelValue[];
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

  keys(): CelValue[] {
    return [...this.#entries.values()].map(([key]) => key);
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

  keys(): CelValue[] {
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

function keyText(key: CelValue): string {
  if (key instanceof CelUint) return `n${key.value}`;
  if (typeof key === "bigint" || (typeof key === "number" && Number.isInteger(key))) return `n${key}`;
  return `${typeof key}${String(key)}`;
}

function asNumber(value: CelValue): bigint | number | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return value instanceof CelUint ? value.value : undefined;
}

/** Compares two values for equality; numbers of all types compare by value. */
export function celEquals(a: CelValue, b: CelValue): boolean {
  const left = asNumber(a);
  const right = asNumber(b);
  // eslint-disable-next-line eqeqeq -- integers and doubles are compared by value
  if (left !== undefined && right !== undefined) return left == right;
  if (a === b) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  if (a instanceof Uint8Array)
    return b instanceof Uint8Array && a.length === b.length && a.every((byte, at) => byte === b[at]);
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.ns === b.ns;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.ns === b.ns;
  if (a instanceof CelType) return b instanceof CelType && a.name === b.name;
  if (a instanceof CelOpaque) return b instanceof CelOpaque && a.typeName === b.typeName && a.equals(b);
  if (a instanceof CelOptional)
    return (
      b instanceof CelOptional &&
      (a.value === undefined ? b.value === undefined : b.value !== undefined && celEquals(a.value, b.value))
    );
  if (isCelList(a)) return isCelList(b) && listsEqual(a, b);
  if (!isCelMap(a) || !isCelMap(b) || a.size !== b.size) return false;
  return a.keys().every((key) => {
    const value = a.get(key);
    const other = b.get(key);
    return value === undefined || other === undefined ? value === other : celEquals(value, other);
  });
}

function listsEqual(a: CelList, b: CelList): boolean {
  if (a.length !== b.length) return false;
  if (a.listType === undefined && b.listType === undefined) return a.every((item, at) => celEquals(item, b[at]!));
  // kube-apiserver hashes the elements of a set, which isn't possible for maps and lists.
  const odd = a.listType === "set" ? a.find((item) => isCelMap(item) || isCelList(item)) : undefined;
  if (odd !== undefined)
    throw new CelError(
      `internal error: runtime error: hash of unhashable type ${isCelMap(odd) ? "map[string]interface {}" : "[]interface {}"}`,
    );
  // Sets, and lists whose elements have keys, are equal in any order.
  return (
    a.every((item) => b.some((other) => celEquals(item, other))) &&
    b.every((item) => a.some((other) => celEquals(item, other)))
  );
}

/** Compares two ordered values. Throws a `CelError` for other types. */
export function celCompare(a: CelValue, b: CelValue): number {
  const left = asNumber(a);
  const right = asNumber(b);
  if (left !== undefined && right !== undefined) return left < right ? -1 : left > right ? 1 : 0;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (
    (a instanceof CelTimestamp && b instanceof CelTimestamp) ||
    (a instanceof CelDuration && b instanceof CelDuration)
  )
    return a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : 0;
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    for (let at = 0; at < Math.min(a.length, b.length); at += 1) if (a[at] !== b[at]) return a[at]! - b[at]!;
    return a.length - b.length;
  }
  throw new CelError("no such overload");
}
