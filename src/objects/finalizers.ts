import type { Resource } from "../client/resource/resource.js";
import type { UpdateFunctionOptions } from "../client/resource/subresource-handle.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";

/** Returns true if the object has the finalizer. */
export function hasFinalizer(object: DeepReadonly<KubernetesObject>, finalizer: string): boolean {
  return object.metadata?.finalizers?.includes(finalizer) === true;
}

/** Returns true if the object's deletion was requested. It still exists because of finalizers or a grace period. */
export function isBeingDeleted(object: DeepReadonly<KubernetesObject>): boolean {
  return object.metadata?.deletionTimestamp !== undefined && object.metadata.deletionTimestamp !== null;
}

/** Returns the object with a finalizer added, or the same object if it has the finalizer already. */
export function withFinalizer<T extends DeepReadonly<KubernetesObject>>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object;
  return {
    ...object,
    metadata: { ...object.metadata, finalizers: [...(object.metadata?.finalizers ?? []), finalizer] },
  };
}

/** Returns the object with a finalizer removed, or the same object if it doesn't have the finalizer. */
export function withoutFinalizer<T extends DeepReadonly<KubernetesObject>>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object;
  return {
    ...object,
    metadata: { ...object.metadata, finalizers: object.metadata!.finalizers!.filter((name) => name !== finalizer) },
  };
}

type Updatable<T> = Pick<Resource<T>, "update">;

/**
 * Adds a finalizer to a stored object if it lacks it; retries after a conflict. The server rejects this for an object
 * that is being deleted.
 *
 * @example
 * ```ts
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { addFinalizer, isBeingDeleted, removeFinalizer } from "kubestream/objects";
 *
 * const client = await connect();
 * const configMaps = client.resource(ConfigMap).namespace("web");
 * const config = await addFinalizer(configMaps, "app", "example.com/cleanup");
 * if (isBeingDeleted(config)) await removeFinalizer(configMaps, "app", "example.com/cleanup");
 * ```
 */
export async function addFinalizer<T extends KubernetesObject>(
  handle: Updatable<T>,
  name: string,
  finalizer: string,
  options?: UpdateFunctionOptions,
): Promise<T> {
  return handle.update(
    name,
    (object) => withFinalizer(object as DeepReadonly<KubernetesObject>, finalizer) as T,
    options,
  );
}

/**
 * Removes a finalizer from a stored object; retries after a conflict. If the object is being deleted and this was its
 * last finalizer, the server deletes it.
 */
export async function removeFinalizer<T extends KubernetesObject>(
  handle: Updatable<T>,
  name: string,
  finalizer: string,
  options?: UpdateFunctionOptions,
): Promise<T> {
  return handle.update(
    name,
    (object) => withoutFinalizer(object as DeepReadonly<KubernetesObject>, finalizer) as T,
    options,
  );
}
