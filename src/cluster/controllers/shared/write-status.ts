import { deepEqual } from "../../../internal/deep-equal.js";
import type { DeepReadonly, KubernetesObject } from "../../../meta/object.js";

/** The part of a resource handle that writes statuses. */
interface StatusWriter<T> {
  subresource(name: "status"): {
    update(object: DeepReadonly<T>, options: { readonly signal: AbortSignal }): Promise<object>;
  };
}

/**
 * Writes an object's status if it differs from the one in the cache. Returns true if it did. Rejects with a conflict if the
 * object has changed since.
 */
export async function writeStatus<T extends KubernetesObject & { status?: object | undefined }>(
  handle: StatusWriter<T>,
  object: DeepReadonly<T>,
  status: DeepReadonly<NonNullable<T["status"]>>,
  call: { readonly signal: AbortSignal; recordWrite(...objects: readonly object[]): void },
): Promise<boolean> {
  if (deepEqual(status, object.status ?? {})) return false;
  const changed = { ...object, status } as DeepReadonly<T>;
  call.recordWrite(await handle.subresource("status").update(changed, { signal: call.signal }));
  return true;
}

/** Returns the status to write: the old one if a client has raised its generation, and nothing else differs. */
export function keepRaisedGeneration<T extends { readonly observedGeneration?: number | undefined }>(
  status: T,
  old: T | undefined,
): T {
  const isRaised = (old?.observedGeneration ?? 0) > (status.observedGeneration ?? 0);
  return isRaised && deepEqual({ ...status, observedGeneration: old!.observedGeneration }, old) ? old! : status;
}
