// Declares AsyncDisposable for programs that compile against an older `lib` than esnext.
/// <reference lib="esnext.disposable" preserve="true" />

/**
 * Recursively read-only version of a type. Caches return objects of this type because readers share them; every method
 * that sends an object accepts it.
 *
 * @example
 * ```ts
 * import type { DeepReadonly } from "kubestream";
 * import type { Pod } from "kubestream/kinds/core/v1";
 *
 * export function relabel(pod: DeepReadonly<Pod>): Pod {
 *   const copy = structuredClone(pod) as Pod;
 *   copy.metadata = { ...copy.metadata, labels: { ...copy.metadata?.labels, checked: "true" } };
 *   return copy;
 * }
 * ```
 */
export type DeepReadonly<T> = T extends string | ((...args: never[]) => unknown)
  ? T
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** The two fields that name an object's type. */
export interface TypeMeta {
  /** `version` for the core group, `group/version` otherwise. Absent on items of typed lists. */
  apiVersion?: string | undefined;
  /** Kind in CamelCase, such as `Pod`. Absent on items of typed lists. */
  kind?: string | undefined;
}

/**
 * Reference to an owner of the object. Garbage collection deletes the object when its last owner is gone.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/
 */
export interface OwnerReference {
  /** API version of the owner. */
  apiVersion: string;
  /** Kind of the owner. */
  kind: string;
  /** Name of the owner, which is in the same namespace or cluster-scoped. */
  name: string;
  /** UID of the owner. A recreated object of the same name is a different owner. */
  uid: string;
  /** True if this owner is the managing controller. At most one owner may be. */
  controller?: boolean | undefined;
  /** True if foreground deletion of the owner waits for this object. */
  blockOwnerDeletion?: boolean | undefined;
}

/**
 * Fields that one field manager owns, as tracked by server-side apply.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export interface ManagedFieldsEntry {
  /** Name of the field manager. */
  manager?: string | undefined;
  /** `Apply` for server-side apply, `Update` for every other write. */
  operation?: "Apply" | "Update" | undefined;
  /** API version in which the fields are recorded. */
  apiVersion?: string | undefined;
  /** Time of the entry's last change, RFC 3339. */
  time?: string | undefined;
  /** Format of `fieldsV1`; always `FieldsV1`. */
  fieldsType?: string | undefined;
  /** Set of owned fields: a trie with `f:`, `k:`, `v:` and `i:` keys. */
  fieldsV1?: Record<string, unknown> | undefined;
  /** Subresource through which the fields were written; absent for the main resource. */
  subresource?: string | undefined;
}

/**
 * Standard metadata of every object.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
 */
export interface ObjectMeta {
  /** Name, unique per kind within the namespace. */
  name?: string | undefined;
  /** Prefix from which the server generates a unique name if `name` is absent. */
  generateName?: string | undefined;
  /** Namespace; absent on cluster-scoped objects. */
  namespace?: string | undefined;
  /** Legacy field that servers no longer set. */
  selfLink?: string | undefined;
  /** Unique identity of this object over time; set by the server. */
  uid?: string | undefined;
  /** Opaque version of the stored object; changes on every write. */
  resourceVersion?: string | undefined;
  /** Sequence number of the desired state, for kinds that maintain one. */
  generation?: number | undefined;
  /** Creation time, RFC 3339; `null` in objects that were never stored. */
  creationTimestamp?: string | null | undefined;
  /** Time at which the object is to be gone, RFC 3339. The server sets it when deletion is requested. */
  deletionTimestamp?: string | null | undefined;
  /** Grace period of the deletion in seconds. */
  deletionGracePeriodSeconds?: number | undefined;
  /** Labels: key-value pairs that selectors match. */
  labels?: Record<string, string> | undefined;
  /** Annotations: free-form text for tools. */
  annotations?: Record<string, string> | undefined;
  /** Owners. The object is garbage-collected after all of them are gone. */
  ownerReferences?: OwnerReference[] | undefined;
  /** Finalizers. After a deletion request, the server keeps the object until all of them are removed. */
  finalizers?: string[] | undefined;
  /** Field ownership by manager. */
  managedFields?: ManagedFieldsEntry[] | undefined;
}

/** Fields that all API objects have in common. */
export interface KubernetesObject extends TypeMeta {
  /** Standard object metadata: name, labels, versions and so on. */
  metadata?: ObjectMeta | undefined;
}
