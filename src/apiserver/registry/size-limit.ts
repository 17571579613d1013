import { utf8Encode } from "../../internal/bytes.js";
import { ApiFailure, rawError } from "../errors/status.js";
import type { ApiObject } from "../objects/api-object.js";
import type { ServedResource, StoredForm } from "./resources.js";
import type { RegistryContext } from "./services.js";

/** Default of etcd's `--max-request-bytes`. */
const maxRequestBytes = 1.5 * 1024 * 1024;
/** Maximum message that the etcd client of a kube-apiserver sends. */
const maxMessageBytes = 2 * 1024 * 1024;
/** Bytes of a write request to etcd, without its keys and the value. */
const requestBytes = 39;

/** An object is too large for etcd. */
export class TooLargeError extends ApiFailure {
  constructor(message: string) {
    super(rawError(message).status);
  }
}

/**
 * Throws the 500 of a kube-apiserver whose etcd refuses an object for its size. `json` is the stored text. Built-in kinds
 * count with their size in Protobuf, which a kube-apiserver stores.
 */
export function checkStoredSize(
  { services }: RegistryContext,
  resource: ServedResource,
  { key, form, json }: { readonly key: string; readonly form: StoredForm; readonly json: string },
): void {
  // UTF-8 takes at most three bytes per character, and Protobuf is never longer than JSON.
  if (json.length * 3 < maxRequestBytes / 2) return;
  const overhead = requestBytes + 2 * `/registry${resource.bucket}/${key}`.length;
  const text = utf8Encode(json).length;
  if (text + overhead <= maxRequestBytes) return;
  refuseSize(overhead + (resource.protobuf ? services.protobuf.size(resource, form) : text));
}

/** Throws the 500 for an etcd request of that size if it's larger than etcd accepts. */
function refuseSize(size: number): void {
  if (size > maxMessageBytes)
    throw new TooLargeError(
      `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${size} vs. ${maxMessageBytes})`,
    );
  if (size > maxRequestBytes) throw new TooLargeError("etcdserver: request is too large");
}

/** Object that may become too large for etcd. */
export interface Sized {
  readonly resource: ServedResource;
  /** Subresource that is written; `""` for the object itself. */
  readonly subresource: string;
  readonly object: ApiObject;
}

/**
 * Returns true if an object will certainly be too large for etcd, even without its managers. Takes little time, so that
 * the work on the managers of such an object can be saved: they would be dropped.
 */
export function isTooLarge(sized: Sized): boolean {
  return leastSize(sized, maxRequestBytes) > maxRequestBytes;
}

/** Throws the 500 for an object that is certainly larger than a message to etcd. */
export function refuseTooLarge(sized: Sized): void {
  if (leastSize(sized, maxMessageBytes) > maxMessageBytes) refuseSize(Math.ceil(leastSize(sized, Infinity)));
}

/** Go structs have fewer members. An object with more is a map, so that its keys are stored. */
const mostFields = 100;

/**
 * Returns a lower bound of the stored size, or a number above `enough`. It doesn't count what a strategy may drop: the
 * status, unless that is written.
 */
function leastSize({ resource, subresource, object }: Sized, enough: number): number {
  const { status, metadata, ...rest } = object;
  const count = resource.protobuf ? leastProtobuf : leastJson;
  if (subresource === "status") return count(status, enough);
  if (subresource !== "") return 0;
  const { managedFields: _dropped, ...meta } = metadata ?? {};
  // A write of the object itself keeps the stored status.
  const kept = resource.protobuf || resource.subresources.has("status") ? [meta, rest] : [meta, rest, status];
  return kept.reduce<number>((size, part) => size + count(part, enough - size), 0);
}

/** Returns a lower bound of the length of a value's JSON, in bytes. */
function leastJson(value: unknown, enough: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 1;
  // Brackets, and a comma after all members but the last.
  if (Array.isArray(value)) {
    let size = value.length === 0 ? 2 : 1;
    for (let at = 0; at < value.length && size <= enough; at++) size += leastJson(value[at], enough - size) + 1;
    return size;
  }
  const keys = Object.keys(value);
  let size = keys.length === 0 ? 2 : 1;
  for (const key of keys) {
    size += key.length + 4 + leastJson((value as Record<string, unknown>)[key], enough - size);
    if (size > enough) break;
  }
  return size;
}

/** Times and quantities are strings of few characters that Protobuf stores in a shorter form. */
const longestShortened = 40;

/** Returns a lower bound of the length of a value in Protobuf, in bytes, without its schema. */
function leastProtobuf(value: unknown, enough: number): number {
  // Bytes are base64 in JSON.
  if (typeof value === "string") return value.length > longestShortened ? value.length * 0.75 : shortText(value);
  if (typeof value !== "object" || value === null) return 0;
  let size = 0;
  if (Array.isArray(value)) {
    // Each element has a tag and a length.
    for (let at = 0; at < value.length && size <= enough; at++) size += leastProtobuf(value[at], enough - size) + 2;
    return size;
  }
  const keys = Object.keys(value);
  const each = keys.length > mostFields ? 6 : 0;
  for (const key of keys) {
    size += leastProtobuf((value as Record<string, unknown>)[key], enough - size);
    if (each > 0) size += each + key.length;
    if (size > enough) break;
  }
  return size;
}

function shortText(text: string): number {
  const first = text.charCodeAt(0);
  return first >= 0x30 && first <= 0x39 ? 2 : text.length * 0.75;
}
