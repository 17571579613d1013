import type { KubernetesObject } from "../../meta/object.js";

/**
 * Converts an object to the form that the cache retains. It may modify its argument, but must keep name, namespace, uid
 * and resourceVersion. If it throws, the object is skipped and counted in `metrics.objectsDropped`.
 */
export type Transform<T, R = T> = (object: T) => R;

/**
 * Removes `metadata.managedFields`, which is often the largest part of an object. Use it as the `transform` of an
 * informer.
 *
 * @example
 * ```ts
 * import { createInformer, stripManagedFields } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const informer = createInformer(client.resource(Pod), { transform: stripManagedFields });
 * await informer.synced();
 * ```
 */
export function stripManagedFields<T extends KubernetesObject>(object: T): T {
  // `in` instead of a read, because reading the property would parse bytes that are still undecoded.
  if (object.metadata !== undefined && "managedFields" in object.metadata) delete object.metadata.managedFields;
  return object;
}
