import { goStruct } from "../../../gen/go-types.js";
import { utf8Encode } from "../../../internal/bytes.js";
import { ApiFailure, rawError } from "../../errors/status.js";
import { isJsonObject } from "../../internal/json-value.js";
import type { ApiObject } from "../../objects/api-object.js";
import type { ServedResource, StoredForm } from "../resources.js";
import type { RegistryContext } from "../services.js";
import { leastJson, leastProtobuf } from "./least-size.js";

/** Default of etcd's `--max-request-bytes`. */
export const maxRequestBytes: number = 1.5 * 1024 * 1024;
/** Maximum message that the etcd client of a kube-apiserver sends. */
export const maxMessageBytes: number = 2 * 1024 * 1024;
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
  /** True if the write creates the object. */
  readonly creates: boolean;
}

/** Throws the 500 for an object that is certainly larger than a message to etcd. */
export function refuseTooLarge(sized: Sized): void {
  const size = leastSize(sized, maxMessageBytes);
  if (size > maxMessageBytes) refuseSize(Math.ceil(size));
}

/** Fields that `leastSize` leaves out or counts in another form. */
const outside = new Set(["kind", "apiVersion", "metadata", "status", "stringData"]);

/**
 * Returns a lower bound of the stored size in bytes, or a number above `enough`. Takes little time, so that the work on
 * an object that etcd can't take can be saved. It doesn't count what the server may drop: the status, unless that is
 * written, managers and duplicate owners.
 */
export function leastSize({ resource, subresource, object, creates }: Sized, enough: number): number {
  if (subresource !== "" && subresource !== "status") return 0;
  const { metadata, status } = object;
  const { managedFields: _managers, ownerReferences: _owners, ...meta } = isJsonObject(metadata) ? metadata : {};
  if (resource.protobuf) {
    const { definition = "" } = resource;
    if (subresource === "status") return leastProtobuf(definition, { status }, enough);
    const kept: Record<string, unknown> = { metadata: meta };
    // Hostile bodies have many unknown fields.
    for (const { name } of goStruct(definition) ?? [])
      if (!outside.has(name) && Object.hasOwn(object, name)) kept[name] = object[name];
    if (creates && resource.strategy.keepsNewStatus === true) kept["status"] = status;
    // A Secret stores these texts in its data, where they replace others.
    const texts = { data: object["stringData"] };
    return Math.max(leastProtobuf(definition, kept, enough), leastProtobuf(definition, texts, enough));
  }
  if (subresource === "status") return leastJson(status, enough);
  // A write of the object itself keeps the stored status.
  const whole = { ...object, metadata: meta };
  return leastJson(resource.subresources.has("status") ? { ...whole, status: null } : whole, enough);
}
