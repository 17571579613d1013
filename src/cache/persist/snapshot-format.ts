import { ProtocolError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";
import { createYielder } from "../../internal/yielder.js";

/** A store at one version. */
export interface StoreSnapshot {
  /** Server, collection and options that the objects belong to. */
  readonly name: string;
  /** Version of the collection. */
  readonly resourceVersion: string;
  /** Objects. */
  readonly objects: readonly unknown[];
}

/** A `CryptoKey` of WebCrypto for AES-GCM, in terms that programs without the types of browsers know. */
export interface EncryptionKey {
  /** Algorithm of the key. */
  readonly algorithm: {
    /** `AES-GCM`. */
    readonly name: string;
  };
}

/** Format and its version. A change of the format changes the number. */
const magic = "kubestream-store/1\n";
/** Objects encoded between two checks of the clock. */
const objectsAtOnce = 64;
/** Bytes decoded between two checks of the clock, and the rest of the last line. */
const bytesAtOnce = 32 * 1024;
/** Time to work before yielding to the event loop (ms). */
const sliceMs = 4;

/**
 * Encodes a snapshot: magic, mode, then a SHA-256 checksum and the content as lines of JSON. With a key, both are
 * encrypted with AES-GCM, bound to the snapshot's name.
 */
export async function encodeSnapshot(
  snapshot: StoreSnapshot,
  key: EncryptionKey | undefined,
  clock: Clock,
): Promise<Uint8Array<ArrayBuffer>> {
  const { name, resourceVersion, objects } = snapshot;
  const encoder = new TextEncoder();
  const yielder = createYielder(clock, sliceMs);
  const parts = [encoder.encode(`${JSON.stringify({ name, resourceVersion, count: objects.length })}\n`)];
  for (let i = 0; i < objects.length; i += objectsAtOnce) {
    const lines = objects.slice(i, i + objectsAtOnce).map((object) => `${JSON.stringify(object)}\n`);
    parts.push(encoder.encode(lines.join("")));
    const pause = yielder.pause();
    if (pause !== undefined) await pause;
  }
  yielder.close();
  const content = concat(parts);
  const body = concat([new Uint8Array(await subtle().digest("SHA-256", content)), content]);
  if (key === undefined) return concat([encoder.encode(`${magic}p`), body]);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const additionalData = encoder.encode(name);
  const sealed = await subtle().encrypt({ name: "AES-GCM", iv, additionalData }, key as CryptoKey, body);
  return concat([encoder.encode(`${magic}e`), iv, new Uint8Array(sealed)]);
}

/**
 * Decodes a snapshot and verifies it. Rejects with a `ProtocolError` that contains nothing of the content if the format,
 * checksum, name or number of objects is wrong, or if it is encrypted with another key or not at all.
 */
export async function decodeSnapshot(
  bytes: Uint8Array,
  name: string,
  key: EncryptionKey | undefined,
  clock: Clock,
): Promise<StoreSnapshot> {
  const text = new TextDecoder();
  const head = text.decode(bytes.subarray(0, magic.length + 1));
  const mode = key === undefined ? "p" : "e";
  if (head !== magic + mode) throw invalid(head.startsWith(magic) ? "wrong encryption mode" : "unknown format");
  const body = await open(bytes.subarray(magic.length + 1) as Uint8Array<ArrayBuffer>, name, key);
  const content = body.subarray(32);
  const digest = new Uint8Array(await subtle().digest("SHA-256", content));
  if (!digest.every((byte, i) => byte === body[i])) throw invalid("wrong checksum");
  // Every line ends with a line feed; without the last one, the loop below would start over.
  if (content.at(-1) !== 10) throw invalid("it has no end");
  const first = content.indexOf(10);
  const { name: owner, resourceVersion, count } = parseLine(text.decode(content.subarray(0, first)));
  if (owner !== name) throw invalid("it belongs to another collection or server");
  if (typeof resourceVersion !== "string" || resourceVersion === "") throw invalid("no resourceVersion");
  const objects: unknown[] = [];
  const yielder = createYielder(clock, sliceMs);
  for (let at = first + 1; at < content.length; ) {
    const end = content.indexOf(10, Math.min(at + bytesAtOnce, content.length) - 1);
    for (const object of parseLines(text.decode(content.subarray(at, end)))) objects.push(object);
    at = end + 1;
    const pause = yielder.pause();
    if (pause !== undefined) await pause;
  }
  yielder.close();
  if (objects.length !== count) throw invalid("wrong number of objects");
  return { name, resourceVersion, objects };
}

/** Parses an object. */
function parseLine(line: string): Readonly<Record<string, unknown>> {
  return parseLines(line)[0]!;
}

/** Parses lines with an object each, in one call, which takes less time. The errors of `JSON.parse` would quote them. */
function parseLines(lines: string): readonly Readonly<Record<string, unknown>>[] {
  let values: unknown[];
  try {
    // A line feed within a string is escaped.
    values = JSON.parse(`[${lines.replaceAll("\n", ",")}]`) as unknown[];
  } catch {
    throw invalid("malformed JSON");
  }
  if (
    values.length === 0 ||
    values.some((value) => typeof value !== "object" || value === null || Array.isArray(value))
  )
    throw invalid("a line is not an object");
  return values as Readonly<Record<string, unknown>>[];
}

async function open(
  bytes: Uint8Array<ArrayBuffer>,
  name: string,
  key: EncryptionKey | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  if (key === undefined) return bytes;
  const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, 12), additionalData: new TextEncoder().encode(name) };
  try {
    return new Uint8Array(await subtle().decrypt(algorithm, key as CryptoKey, bytes.subarray(12)));
  } catch {
    throw invalid("it can't be decrypted with this key");
  }
}

function invalid(reason: string): ProtocolError {
  return new ProtocolError(`persisted store is invalid: ${reason}`);
}

/** Returns WebCrypto, which browsers offer only to pages from HTTPS or localhost. */
function subtle(): SubtleCrypto {
  const { subtle } = globalThis.crypto as { subtle?: SubtleCrypto };
  if (subtle === undefined) throw new TypeError("persisted stores need WebCrypto: serve the page over HTTPS");
  return subtle;
}

function concat(parts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
