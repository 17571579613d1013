import { copyBytes } from "../../internal/bytes.js";
import { type ByteRange, sameBytes, utf8SliceStrict } from "../../internal/text.js";
import type { DecodeOptions } from "../../meta/options.js";
import { internedSlice } from "../intern.js";
import type { DecodeHooks } from "./decode-hooks.js";
import type { Registry } from "./registry.js";
import { eachField } from "./values.js";
import { createHooks, decodeRoot } from "./view.js";
import { fail, position, readVarint, setSubject, skipField } from "./wire.js";

/** Prefix of every Protobuf object: `k8s` and a zero byte. */
export const magicBytes: Uint8Array = Uint8Array.of(0x6b, 0x38, 0x73, 0);

/** Length of the magic. */
export const magicLength = 4;

/** Media type of single objects and lists. */
export const protobufMediaType = "application/vnd.kubernetes.protobuf";

/** Envelope of an object, `runtime.Unknown`. */
export interface Envelope {
  /** API version; empty in discovery documents that are older than API groups. */
  readonly apiVersion: string;
  /** Kind. */
  readonly kind: string;
  /** Offset of the object's own bytes. */
  readonly start: number;
  /** Offset after the object's own bytes. */
  readonly end: number;
}

/** Checks the magic prefix. Throws a `ProtocolError` if it's missing. */
export function checkMagic(bytes: Uint8Array, start: number, end: number): void {
  for (let i = 0; i < magicLength; i++) {
    if (start + i >= end) fail("ends inside the magic number", start + i);
    if (bytes[start + i] !== magicBytes[i]) fail("no magic number", start);
  }
}

/**
 * Reads magic and envelope. Throws a `ProtocolError` if they are malformed, or if the content is compressed or isn't
 * Protobuf.
 */
export function readEnvelope(bytes: Uint8Array, start: number, end: number): Envelope {
  checkMagic(bytes, start, end);
  let apiVersion = "";
  let kind = "";
  let from = -1;
  let to = -1;
  for (let p = start + magicLength; p < end; ) {
    const tag = readVarint(bytes, p, end);
    let content = position;
    p = skipField(bytes, content, end, tag & 7);
    // The envelope has fields 1 to 4. Ignore others.
    if (tag >= 40) continue;
    if ((tag & 7) !== 2 || tag < 8) fail("malformed envelope", content);
    readVarint(bytes, content, end);
    content = position;
    if (tag === 10) ({ apiVersion, kind } = readTypeMeta(bytes, content, p));
    else if (tag === 18) {
      from = content;
      to = p;
    } else checkContent(bytes, content, p, tag >>> 3);
  }
  if (kind === "") fail("no kind", start);
  // An object without fields has empty content. Without a content field, the rest is missing.
  if (from < 0) fail("no content", end);
  return { apiVersion, kind, start: from, end: to };
}

/** Type that was read last and its bytes, because all events of a watch have the same. */
let lastType = { apiVersion: "", kind: "" };
let lastRange: ByteRange = { bytes: new Uint8Array(0), start: 0, end: 0 };

/** Reads the type from an envelope. */
export function readTypeMeta(
  bytes: Uint8Array,
  start: number,
  end: number,
): { readonly apiVersion: string; readonly kind: string } {
  if (sameBytes(lastRange, bytes, start, end)) return lastType;
  const type = { apiVersion: "", kind: "" };
  eachField(bytes, start, end, (number, wire, from, to) => {
    if (number > 2) return;
    if (wire !== 2) fail("malformed type", from);
    type[number === 1 ? "apiVersion" : "kind"] =
      internedSlice(bytes, from, to) ?? fail("invalid UTF-8 in the type", from);
  });
  lastType = type;
  lastRange = { bytes: copyBytes(bytes, start, end), start: 0, end: end - start };
  return type;
}

/** Checks the content encoding (field 3) and the content type (field 4) of an envelope. */
export function checkContent(bytes: Uint8Array, start: number, end: number, number: number): void {
  if (start === end) return;
  if (number === 3) fail("encoded content", start);
  if (utf8SliceStrict(bytes, start, end) !== protobufMediaType) fail("content of another type", start);
}

/** Decodes one complete object: magic, envelope and message. */
export function decodeObject(
  bytes: Uint8Array,
  start: number,
  end: number,
  registry: Registry,
  options?: DecodeOptions,
): object {
  const { apiVersion, kind, start: from, end: to } = readEnvelope(bytes, start, end);
  const type = registry.get(apiVersion, kind);
  setSubject(`${apiVersion} ${kind}`, 0);
  return decodeRoot(
    bytes,
    from,
    to,
    type,
    apiVersion === "" ? { kind } : { kind, apiVersion },
    options,
    hooksOf(registry),
  );
}

const allHooks = new WeakMap<Registry, DecodeHooks>();

/** Returns the decoder callbacks for a registry. */
export function hooksOf(registry: Registry): DecodeHooks {
  let hooks = allHooks.get(registry);
  if (hooks === undefined)
    allHooks.set(registry, (hooks = createHooks((bytes, start, end) => decodeObject(bytes, start, end, registry))));
  return hooks;
}
