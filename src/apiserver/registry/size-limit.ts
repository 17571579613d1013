import { utf8Encode } from "../../internal/bytes.js";
import { ApiFailure, rawError } from "../errors/status.js";
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
  const size = overhead + (resource.protobuf ? services.protobuf.size(resource, form) : text);
  if (size > maxMessageBytes)
    throw new TooLargeError(
      `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${size} vs. ${maxMessageBytes})`,
    );
  if (size > maxRequestBytes) throw new TooLargeError("etcdserver: request is too large");
}
