import type { Resource, UpdateFunctionOptions } from "../client/resource/resource.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";

/** Whether a finalizer holds the object's deletion back. */
export function hasFinalizer(object: DeepReadonly<KubernetesObject>, finalizer: string): boolean {
  return object.metadata?.finalizers?.includes(finalizer) === true;
}

/** Whether the object's deletion was asked for, so that it only waits for its finalizers. */
export function isBeingDeleted(object: DeepReadonly<KubernetesObject>): boolean {
  return object.metadata?.deletionTimestamp !== undefined && object.metadata.deletionTimestamp !== null;
}

/** The object with a finalizer; the same object where it has it. */
export function withFinalizer<T extends DeepReadonly<KubernetesObject>>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object;
  return {
    ...object,
    metadata: { ...object.metadata, finalizers: [...(object.metadata?.finalizers ?? []), finalizer] },
  };
}

/** The object without a finalizer; the same object where it has none of that name. */
export function withoutFinalizer<T extends DeepReadonly<KubernetesObject>>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object;
  return {
    ...object,
    metadata: { ...object.metadata, finalizers: object.metadata!.finalizers!.filter((name) => name !== finalizer) },
  };
}

type Updatable<T> = Pick<Resource<T>, "update">;

/** Adds a finalizer to a stored object if it lacks it, again after a conflict. The server refuses it for an object that is being deleted. */
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

/** Removes a finalizer from a stored object, again after a conflict; the last one's removal ends an object that is being deleted. */
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
