import { ProtocolError } from "../../errors/errors.js";
import { unknownFieldCount } from "../unknown-fields.js";

/** Maximum nesting depth, which also stops cycles. */
const maxDepth = 512;

const encoder = new TextEncoder();
let bytes: Uint8Array = new Uint8Array(4096);
let view = new DataView(bytes.buffer);
let length = 0;

/**
 * Encodes an object by the rules of Kubernetes: after the self-describing tag, all strings and keys are byte strings,
 * because Go servers accept nothing else for bytes. A `Uint8Array` becomes tagged bytes. Values that JSON omits are
 * omitted. Throws a `ProtocolError` that names the field if CBOR can't represent it.
 */
export function encodeCbor(object: object): Uint8Array {
  if (unknownFieldCount(object) > 0) {
    throw new ProtocolError(
      "encode object as CBOR: it was decoded from Protobuf and has fields unknown to this client; write it as Protobuf, read it as CBOR, or use a patch",
    );
  }
  length = 0;
  bytes[length++] = 0xd9;
  bytes[length++] = 0xd9;
  bytes[length++] = 0xf7;
  const path: (string | number)[] = [];
  try {
    write(object, path);
    return bytes.slice(0, length);
  } finally {
    if (bytes.length > 1 << 20) {
      bytes = new Uint8Array(4096);
      view = new DataView(bytes.buffer);
    }
  }
}

function fail(path: readonly (string | number)[], problem: string): never {
  throw new ProtocolError(
    `encode object as CBOR: ${path.length === 0 ? "" : `${path.slice(0, 20).join(".")}: `}${problem}`,
  );
}

function reserve(count: number): void {
  if (length + count <= bytes.length) return;
  const grown = new Uint8Array(Math.max(bytes.length * 2, length + count));
  grown.set(bytes.subarray(0, length));
  bytes = grown;
  view = new DataView(bytes.buffer);
}

/** Writes major type and argument. */
function head(major: number, value: number): void {
  reserve(9);
  if (value < 24) bytes[length++] = major | value;
  else if (value < 256) {
    bytes[length++] = major | 24;
    bytes[length++] = value;
  } else if (value < 65536) {
    bytes[length++] = major | 25;
    view.setUint16(length, value);
    length += 2;
  } else if (value < 4294967296) {
    bytes[length++] = major | 26;
    view.setUint32(length, value);
    length += 4;
  } else {
    bytes[length++] = major | 27;
    view.setBigUint64(length, BigInt(value));
    length += 8;
  }
}

function text(value: string): void {
  const count = value.length;
  if (count < 24) {
    reserve(count + 1);
    const start = length++;
    let i = 0;
    for (; i < count; i++) {
      const c = value.charCodeAt(i);
      if (c > 127) break;
      bytes[length++] = c;
    }
    if (i === count) {
      bytes[start] = 0x40 | count;
      return;
    }
    length = start;
  }
  const encoded = encoder.encode(value);
  raw(encoded);
}

function raw(content: Uint8Array): void {
  head(0x40, content.length);
  reserve(content.length);
  bytes.set(content, length);
  length += content.length;
}

function number(value: number, path: (string | number)[]): void {
  if (!Number.isFinite(value)) fail(path, "a number that is not finite");
  if (Number.isInteger(value) && value < 2 ** 63 && value >= -(2 ** 63) && !Object.is(value, -0)) {
    if (value >= 0) head(0, value);
    else if (value >= Number.MIN_SAFE_INTEGER) head(0x20, -1 - value);
    else {
      reserve(9);
      bytes[length++] = 0x3b;
      view.setBigUint64(length, -1n - BigInt(value));
      length += 8;
    }
    return;
  }
  float(value);
}

/** Writes a number in the shortest form without loss. */
function float(value: number): void {
  reserve(9);
  view.setFloat32(length + 1, value);
  if (view.getFloat32(length + 1) !== value) {
    bytes[length] = 0xfb;
    view.setFloat64(length + 1, value);
    length += 9;
    return;
  }
  const half = halfOf(view.getUint32(length + 1));
  bytes[length] = half === undefined ? 0xfa : 0xf9;
  if (half !== undefined) view.setUint16(length + 1, half);
  length += half === undefined ? 5 : 3;
}

/** Converts a single-precision number to half precision. Returns `undefined` if bits would be lost. */
function halfOf(single: number): number | undefined {
  const sign = (single >>> 16) & 0x8000;
  const exponent = ((single >>> 23) & 0xff) - 127;
  const fraction = single & 0x7fffff;
  if (exponent === -127) return fraction === 0 ? sign : undefined;
  if (exponent > 15 || exponent < -24) return undefined;
  // Below 2^-14, the leading one is explicit and the fraction has fewer bits.
  const [bits, lost] = exponent < -14 ? [0x800000 | fraction, -exponent - 1] : [((exponent + 15) << 23) | fraction, 13];
  return (bits & ((1 << lost) - 1)) === 0 ? sign | (bits >>> lost) : undefined;
}

/** Calls the `toJSON` method of an object, if it has one. Like `JSON.stringify`, it doesn't call that of the result. */
function asJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  const object = value as { toJSON?: unknown };
  return typeof object.toJSON === "function" ? (object as { toJSON: () => unknown }).toJSON() : value;
}

function write(given: unknown, path: (string | number)[]): void {
  const value = asJson(given);
  switch (typeof value) {
    case "string":
      text(value);
      return;
    case "number":
      number(value, path);
      return;
    case "boolean":
      reserve(1);
      bytes[length++] = value ? 0xf5 : 0xf4;
      return;
    case "object":
      break;
    default:
      fail(path, `a ${typeof value}`);
  }
  if (value === null) {
    reserve(1);
    bytes[length++] = 0xf6;
    return;
  }
  if (path.length > maxDepth) fail(path, "nested too deeply");
  if (Array.isArray(value)) {
    head(0x80, value.length);
    for (let i = 0; i < value.length; i++) {
      path.push(i);
      write(value[i] ?? null, path);
      path.pop();
    }
  } else if (value instanceof Uint8Array) {
    reserve(1);
    bytes[length++] = 0xd6;
    raw(value);
  } else map(value as Record<string, unknown>, path);
}

function map(object: Record<string, unknown>, path: (string | number)[]): void {
  const keys = Object.keys(object).filter((key) => object[key] !== undefined && typeof object[key] !== "function");
  head(0xa0, keys.length);
  for (const key of keys) {
    text(key);
    path.push(key);
    write(object[key], path);
    path.pop();
  }
}
