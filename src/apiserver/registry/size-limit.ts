import { utf8Encode } from "../../internal/bytes.js";
import { ApiFailure, rawError } from "../errors/status.js";
import { isJsonObject } from "../internal/json-value.js";
import type { ApiObject } from "../objects/api-object.js";
import { leastJson, leastProtobuf } from "./least-size.js";
import type { ServedResource, StoredForm } from "./resources.js";
import type { RegistryContext } from "./services.js";

/** Default of etcd's `--max-request-bytes`. */
export const maxRequestBytes: number = 1.5 * 1024 * 1024;
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
export function refuseSize(size: number): void {
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
 * Compares an object without its managers with etcd's limits: `tooLarge` if it will certainly exceed them, `small` if it
 * is far below them. Takes little time, so that the work on the managers of an object that is too large can be saved:
 * they would be dropped.
 */
export function sizeClass(sized: Sized): "small" | "large" | "tooLarge" {
  const size = leastSize(sized, maxRequestBytes);
  return size > maxRequestBytes ? "tooLarge" : size > maxRequestBytes / 2 ? "large" : "small";
}

/** Throws the 500 for an object that is certainly larger than a message to etcd. */
export function refuseTooLarge(sized: Sized): void {
  if (leastSize(sized, maxMessageBytes) > maxMessageBytes) refuseSize(Math.ceil(leastSize(sized, Infinity)));
}

/**
 * Returns a lower bound of the stored size, or a number above `enough`. It doesn't count what the server may drop: the
 * status, unless that is written, managers and duplicate owners.
 */
export function leastSize({ resource, subresource, object }: Sized, enough: number): number {
  const given = object as ApiObject & { readonly stringData?: unknown };
  const { kind, apiVersion, status, metadata, stringData, ...rest } = given;
  const { definition = "" } = resource;
  const count = (part: object, limit: number): number =>
    resource.protobuf ? leastProtobuf(definition, part, limit) : leastJson(part, limit);
  if (subresource === "status") return count({ status }, enough);
  if (subresource !== "") return 0;
  const { managedFields: _managers, ownerReferences: _owners, ...meta } = isJsonObject(metadata) ? metadata : {};
  const kept = { ...rest, metadata: meta };
  // A Secret stores these texts in its data, where they replace others.
  if (resource.protobuf) return Math.max(count(kept, enough), count({ data: stringData }, enough));
  const whole = { ...kept, stringData };
  // A write of the object itself keeps the stored status.
  return count(resource.subresources.has("status") ? whole : { ...whole, status }, enough);
}
