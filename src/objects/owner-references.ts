import type { DeepReadonly, KubernetesObject, OwnerReference } from "../meta/object.js";

/** Options for `ownerReference` and `withOwner`. */
export interface OwnerReferenceOptions {
  /** Whether the owner is the managing controller. Default `false`. */
  readonly controller?: boolean;
  /** Whether foreground deletion of the owner waits for the object. Default: as `controller`. */
  readonly blockOwnerDeletion?: boolean;
}

/**
 * A reference to a stored object as owner. Throws a `TypeError` for one without apiVersion, kind, name or uid: items of
 * typed lists lack the first two.
 */
export function ownerReference(
  owner: DeepReadonly<KubernetesObject>,
  options: OwnerReferenceOptions = {},
): OwnerReference {
  const { controller = false, blockOwnerDeletion = controller } = options;
  const { apiVersion, kind, metadata } = owner;
  if (!apiVersion || !kind || !metadata?.name || !metadata.uid)
    throw new TypeError("an owner must have apiVersion, kind, metadata.name and metadata.uid");
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid,
    ...(controller && { controller }),
    ...(blockOwnerDeletion && { blockOwnerDeletion }),
  };
}

/** Returns the owner reference of the controller that manages an object; `undefined` if no controller does. */
export function getControllerOwner(object: DeepReadonly<KubernetesObject>): DeepReadonly<OwnerReference> | undefined {
  return object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
}

/** Whether an object is owned by another, by its UID. */
export function isOwnedBy(object: DeepReadonly<KubernetesObject>, owner: DeepReadonly<KubernetesObject>): boolean {
  return object.metadata?.ownerReferences?.some((reference) => reference.uid === owner.metadata?.uid) === true;
}

/**
 * The object with one more owner; an older reference to the same one is replaced. Throws a `TypeError` where garbage
 * collection would take the reference for a dead one: an owner in another namespace, or in a namespace where the object
 * is in none.
 */
export function withOwner<T extends DeepReadonly<KubernetesObject>>(
  object: T,
  owner: DeepReadonly<KubernetesObject>,
  options: OwnerReferenceOptions = {},
): T {
  const reference = ownerReference(owner, options);
  const home = owner.metadata?.namespace;
  if (home !== undefined && home !== object.metadata?.namespace) {
    throw new TypeError(
      object.metadata?.namespace === undefined
        ? `an object without a namespace cannot be owned by ${reference.kind} ${JSON.stringify(reference.name)} in ${JSON.stringify(home)}`
        : `an object in ${JSON.stringify(object.metadata.namespace)} cannot be owned by ${reference.kind} ${JSON.stringify(reference.name)} in ${JSON.stringify(home)}`,
    );
  }
  const others = (object.metadata?.ownerReferences ?? []).filter((other) => other.uid !== reference.uid);
  return { ...object, metadata: { ...object.metadata, ownerReferences: [...others, reference] } };
}

/** The object with its managing controller. Throws a `TypeError` where another controller manages it, and as `withOwner` does. */
export function withController<T extends DeepReadonly<KubernetesObject>>(
  object: T,
  owner: DeepReadonly<KubernetesObject>,
  options: Omit<OwnerReferenceOptions, "controller"> = {},
): T {
  const other = getControllerOwner(object);
  if (other !== undefined && other.uid !== owner.metadata?.uid)
    throw new TypeError(`the object is controlled by ${other.kind} ${JSON.stringify(other.name)} already`);
  return withOwner(object, owner, { ...options, controller: true });
}

/** The object without an owner; the same object where it is none. */
export function withoutOwner<T extends DeepReadonly<KubernetesObject>>(
  object: T,
  owner: DeepReadonly<KubernetesObject>,
): T {
  if (!isOwnedBy(object, owner)) return object;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      ownerReferences: object.metadata!.ownerReferences!.filter((reference) => reference.uid !== owner.metadata?.uid),
    },
  };
}
