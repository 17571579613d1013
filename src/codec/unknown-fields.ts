/**
 * Property for the Protobuf bytes of fields that the tables don't know, for example from a newer server. It's
 * enumerable, so that a spread keeps it and a write sends it back. JSON ignores it.
 */
const unknownSymbol = Symbol.for("kubestream.unknown-fields");

/** Property for the number of parts with unknown fields, on the outermost object, so that their loss is noticed. */
const countSymbol = Symbol.for("kubestream.unknown-field-count");

interface Carrier {
  [unknownSymbol]?: Uint8Array;
  [countSymbol]?: number;
}

/** Returns the bytes of the unknown fields of an object or part, `undefined` if it has none. */
export function unknownFieldsOf(object: object): Uint8Array | undefined {
  return (object as Carrier)[unknownSymbol];
}

/** Number of bytes in use of each buffer. The rest of it is free for more. */
const used = new WeakMap<ArrayBufferLike, number>();
const none = new Uint8Array();

/** Appends bytes of unknown fields. A buffer that must grow gets twice the length, so that many parts take linear time. */
export function addUnknownFields(object: object, bytes: Uint8Array): void {
  let all = unknownFieldsOf(object) ?? none;
  const start = all.length;
  const end = start + bytes.length;
  // A copy of the object may have extended the same buffer.
  if (used.get(all.buffer) !== start || all.buffer.byteLength < end) {
    const before = all;
    all = new Uint8Array(start === 0 ? end : 2 * end);
    all.set(before);
  }
  used.set(all.buffer, end);
  all = new Uint8Array(all.buffer, 0, end);
  all.set(bytes, start);
  (object as Carrier)[unknownSymbol] = all;
}

/**
 * Recently decoded objects with unknown fields, by uid and resource version. `structuredClone` and JSON drop the symbols
 * with the fields. This map recognizes such copies, so that a write can't lose the fields silently.
 */
const decoded = new Map<string, number>();
const maxDecoded = 16_384;

/** Returns the number of parts with unknown fields in the outermost object, or in the object that it's a copy of. */
export function unknownFieldCount(object: object): number {
  const own = (object as Carrier)[countSymbol];
  if (own !== undefined || decoded.size === 0) return own ?? 0;
  const version = versionOf(object);
  return version === undefined ? 0 : (decoded.get(version) ?? 0);
}

/** Increases the number of parts with unknown fields of the outermost object. */
export function addUnknownFieldCount(object: object, count: number): void {
  const all = ((object as Carrier)[countSymbol] ?? 0) + count;
  if (Object.isExtensible(object)) (object as Carrier)[countSymbol] = all;
  const version = versionOf(object);
  if (version === undefined) return;
  decoded.delete(version);
  decoded.set(version, all);
  if (decoded.size <= maxDecoded) return;
  const [oldest] = decoded.keys();
  decoded.delete(oldest!);
}

function versionOf(object: object): string | undefined {
  const metadata = (object as { metadata?: { uid?: unknown; resourceVersion?: unknown } | null }).metadata;
  const { uid, resourceVersion } = metadata ?? {};
  return typeof uid === "string" && uid !== "" && typeof resourceVersion === "string"
    ? `${uid}/${resourceVersion}`
    : undefined;
}
