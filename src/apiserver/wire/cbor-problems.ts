import type { ProtocolError } from "../../errors/errors.js";
import { utf8Decode } from "../../internal/bytes.js";

/** What Go's library calls the major types. */
const types = [
  "positive integer",
  "negative integer",
  "byte string",
  "UTF-8 text string",
  "array",
  "map",
  "tag",
  "primitives",
];
const mostElements = 2 ** 31 - 1;

/** Where the item itself begins, behind the tag that says that all of it is CBOR. */
function itemStart(bytes: Uint8Array): number {
  return bytes[0] === 0xd9 && bytes[1] === 0xd9 && bytes[2] === 0xf7 ? 3 : 0;
}

/** The count in the head at an offset, as far as it is there. */
function countAt(bytes: Uint8Array, at: number): number {
  const size = 2 ** ((bytes[at]! & 31) - 24);
  return bytes.subarray(at + 1, at + 1 + size).reduce((sum, byte) => sum * 256 + byte, 0);
}

/** What Go's library says where ours found no object; `undefined` where it takes one. */
export function goCborProblem({ message, offset = 0 }: ProtocolError, bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return "EOF";
  if (message.includes("not an object")) return typeProblem(bytes[itemStart(bytes)] ?? 0);
  const head = bytes[offset] ?? 0;
  const type = types[head >> 5]!;
  if (message.includes("bytes after the end"))
    return `cbor: ${bytes.length - offset} bytes of extraneous data starting at index ${offset}`;
  if (message.includes("nested too deeply")) return "cbor: exceeded max nested level 10000";
  if (message.includes("big number")) return "cbor: data item of cbor type tag is not accepted by protocol: bignum";
  if (message.includes("number that JSON cannot carry"))
    return `cbor: data item of cbor type primitives is not accepted by protocol: floating-point ${isNotANumber(bytes, offset) ? "NaN" : "infinity"}`;
  if (message.includes("malformed head")) return `cbor: invalid additional information ${head & 31} for type ${type}`;
  if (head === 0xff) return 'cbor: unexpected "break" code';
  if (/(?:list|map) beyond the end/.test(message) && countAt(bytes, offset) > mostElements)
    return `cbor: exceeded max number of ${type === "map" ? "key-value pairs" : "elements"} ${mostElements} for CBOR ${type}`;
  if (message.includes("duplicate key") && (head & 31) < 24)
    return `cbor: found duplicate map key ${JSON.stringify(utf8Decode(bytes.subarray(offset + 1, offset + 1 + (head & 31))))}`;
  return "unexpected EOF";
}

function typeProblem(head: number): string | undefined {
  if (head === 0xf6 || head === 0xf7) return undefined;
  return `cbor: cannot unmarshal ${types[head >> 5]!} into Go value of type v1.TypeMeta${head >> 5 === 4 ? " (cannot decode CBOR array to struct without toarray option)" : ""}`;
}

/** Whether the float at an offset is no number: where it is an infinity, all bits behind the exponent are zero. */
function isNotANumber(bytes: Uint8Array, at: number): boolean {
  const size = 2 ** ((bytes[at]! & 31) - 24);
  const [first = 0, second = 0, ...rest] = bytes.subarray(at + 1, at + 1 + size);
  return (
    ((size === 2 ? first & 3 : size === 4 ? second & 0x7f : second & 15) | (size === 2 ? second : 0)) !== 0 ||
    rest.some((byte) => byte !== 0)
  );
}
