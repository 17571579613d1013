// Clients, informers and others are disposable; programs that are built for an older library learn here what that is.
/// <reference lib="esnext.disposable" preserve="true" />

/**
 * A type whose every level is read-only. Caches hand out objects of this type because they are shared between readers;
 * every method that sends an object accepts it.
 */
export type DeepReadonly<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** The two fields that name the type of an object. */
export interface TypeMeta {
  /** `version` for the core group, `group/version` otherwise. Absent on items of typed lists. */
  apiVersion?: string;
  /** Name of the type in CamelCase, as `Pod`. Absent on items of typed lists. */
  kind?: string;
}

/**
 * A reference to the object that owns this one: when the last owner is gone, garbage collection removes this object.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/
 */
export interface OwnerReference {
  /** API version of the owner. */
  apiVersion: string;
  /** Kind of the owner. */
  kind: string;
  /** Name of the owner, in the same namespace or cluster-scoped. */
  name: string;
  /** UID of the owner: a re-created object of the same name is another owner. */
  uid: string;
  /** Whether this owner is the managing controller; at most one may be. */
  controller?: boolean;
  /** Whether foreground deletion of the owner waits for this object. */
  blockOwnerDeletion?: boolean;
}

/**
 * The fields that one manager owns, as server-side apply tracks them.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export interface ManagedFieldsEntry {
  /** Name of the field manager. */
  manager?: string;
  /** `Apply` for server-side apply, `Update` for every other write. */
  operation?: "Apply" | "Update";
  /** API version in which the fields are written down. */
  apiVersion?: string;
  /** When the entry was last changed, RFC 3339. */
  time?: string;
  /** Format of `fieldsV1`; always `FieldsV1`. */
  fieldsType?: string;
  /** The set of owned fields: a trie with `f:`, `k:`, `v:` and `i:` keys. */
  fieldsV1?: Record<string, unknown>;
  /** Subresource through which the fields were written; absent for the object itself. */
  subresource?: string;
}

/**
 * What every stored object carries.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
 */
export interface ObjectMeta {
  /** Name, unique in the namespace for the kind. */
  name?: string;
  /** Prefix from which the server makes a unique name when `name` is absent. */
  generateName?: string;
  /** Namespace; absent on cluster-scoped objects. */
  namespace?: string;
  /** Legacy field, no longer filled in by servers. */
  selfLink?: string;
  /** Identity of this object over time; set by the server. */
  uid?: string;
  /** Opaque version of the stored object; changes on every write. */
  resourceVersion?: string;
  /** Number of changes of the desired state, for kinds that count them. */
  generation?: number;
  /** When the object was created, RFC 3339; `null` in objects that were never stored. */
  creationTimestamp?: string | null;
  /** When the object is to be gone, RFC 3339; set once deletion was asked for. */
  deletionTimestamp?: string | null;
  /** Seconds the object was given to end gracefully. */
  deletionGracePeriodSeconds?: number;
  /** Labels: what selectors match on. */
  labels?: Record<string, string>;
  /** Annotations: free text for tools. */
  annotations?: Record<string, string>;
  /** Owners, whose end brings this object's. */
  ownerReferences?: OwnerReference[];
  /** Names that each hold back the deletion until somebody removes them. */
  finalizers?: string[];
  /** Who owns which field. */
  managedFields?: ManagedFieldsEntry[];
}

/** What every object of the API has in common. */
export interface KubernetesObject extends TypeMeta {
  /** Name, labels, versions and the rest that is the same for all kinds. */
  metadata?: ObjectMeta;
}
