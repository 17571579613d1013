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

/**
 * Objects with unknown fields that were decoded last, by uid and resource version. A copy by `structuredClone` or through JSON
 * loses the symbols and with them the fields: it is told by what it is a copy of.
 */
const decoded = new Map<string, number>();
const MAX_DECODED = 16_384;

/** How many parts of the outermost object, or of the one that it is a copy of, had unknown fields when it was decoded. */
export function unknownFieldCount(object: object): number {
  const own = (object as Carrier)[COUNT];
  if (own !== undefined || decoded.size === 0) return own ?? 0;
  const version = versionOf(object);
  return version === undefined ? 0 : (decoded.get(version) ?? 0);
}

/** Notes that more parts of the outermost object have unknown fields. */
export function addUnknownFieldCount(object: object, count: number): void {
  const all = ((object as Carrier)[COUNT] ?? 0) + count;
  if (Object.isExtensible(object)) (object as Carrier)[COUNT] = all;
  const version = versionOf(object);
  if (version === undefined) return;
  decoded.delete(version);
  decoded.set(version, all);
  if (decoded.size > MAX_DECODED) for (const oldest of decoded.keys()) return void decoded.delete(oldest);
}

function versionOf(object: object): string | undefined {
  const metadata = (object as { metadata?: { uid?: unknown; resourceVersion?: unknown } | null }).metadata;
  const { uid, resourceVersion } = metadata ?? {};
  return typeof uid === "string" && uid !== "" && typeof resourceVersion === "string"
    ? `${uid}/${resourceVersion}`
    : undefined;
}
