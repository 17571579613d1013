import type { KubernetesObject } from "../../meta/object.js";

/**
 * Makes what is retained of an object that arrived. It may change the object it is given. Name, namespace, uid and
 * resourceVersion must stay. An object for which it throws is left out and counted.
 */
export type Transform<T, R = T> = (object: T) => R;

/** A transform that drops `metadata.managedFields`, often the largest part of an object that nobody reads. */
export function stripManagedFields<T extends KubernetesObject>(object: T): T {
  // Not asked for its value, which may be bytes that nobody has parsed yet.
  if (object.metadata !== undefined && "managedFields" in object.metadata) delete object.metadata.managedFields;
  return object;
}
