/**
 * Under this symbol an object holds the Protobuf bytes of fields that its table does not know, as a newer server sends
 * them. Enumerable, so that a copy by spread keeps them and a write carries them back; JSON does not show them.
 */
const UNKNOWN = Symbol.for("kubestream.unknown-fields");

/** Under this symbol the outermost object holds how many of its parts have unknown fields, so that their loss is noticed. */
const COUNT = Symbol.for("kubestream.unknown-field-count");

interface Carrier {
  [UNKNOWN]?: Uint8Array;
  [COUNT]?: number;
}

/** Bytes of the unknown fields of this part of an object; `undefined` if there are none. */
export function unknownFieldsOf(object: object): Uint8Array | undefined {
  return (object as Carrier)[UNKNOWN];
}

/** Adds bytes of unknown fields. */
export function addUnknownFields(object: object, bytes: Uint8Array): void {
  const before = unknownFieldsOf(object);
  const all = new Uint8Array((before?.length ?? 0) + bytes.length);
  if (before !== undefined) all.set(before);
  all.set(bytes, all.length - bytes.length);
  (object as Carrier)[UNKNOWN] = all;
}

/** How many parts of the outermost object had unknown fields when it was decoded. */
export function unknownFieldCount(object: object): number {
  return (object as Carrier)[COUNT] ?? 0;
}

/** Notes how many parts of the outermost object have unknown fields. */
export function setUnknownFieldCount(object: object, count: number): void {
  (object as Carrier)[COUNT] = count;
}
