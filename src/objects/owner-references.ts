import type { DeepReadonly, KubernetesObject, OwnerReference } from "../meta/object.js";

/** Options for `ownerReference` and `withOwner`. */
export interface OwnerReferenceOptions {
  /** True if the owner is the managing controller. Default `false`. */
  readonly controller?: boolean | undefined;
  /** True if foreground deletion of the owner waits for the object. Default: the value of `controller`. */
  readonly blockOwnerDeletion?: boolean | undefined;
}

/**
 * Builds a reference to a stored object as an owner. Throws a `TypeError` if the owner lacks apiVersion, kind, name or
 * uid; items of typed lists lack the first two.
 */
export function ownerReference(
  owner: DeepReadonly<KubernetesObject>,
  options: OwnerReferenceOptions = {},
): OwnerReference {
  const { controller = false, blockOwnerDeletion = controller } = options;
  const { apiVersion, kind, metadata } = owner;
  if (!apiVersion || !kind || !metadata?.name || !metadata.uid)
    throw new TypeError(
      "an owner must have apiVersion, kind, metadata.name and metadata.uid (items of typed lists lack apiVersion and kind)",
    );
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

/** Returns true if `owner` is an owner of the object, compared by UID. */
export function isOwnedBy(object: DeepReadonly<KubernetesObject>, owner: DeepReadonly<KubernetesObject>): boolean {
  return object.metadata?.ownerReferences?.some((reference) => reference.uid === owner.metadata?.uid) === true;
}

/**
 * Returns the object with an owner added. Replaces an existing reference to the same owner.
 *
 * Throws a `TypeError` if garbage collection would treat the owner as missing and delete the object: an owner in
 * another namespace, a namespaced owner of a cluster-scoped object, or an owner that lacks apiVersion, kind, name or uid.
 *
 * @example
 * ```ts
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { withOwner } from "kubestream/objects";
 *
 * const client = await connect();
 * const shop = await client.resource(Deployment).namespace("web").get("shop");
 * const config: ConfigMap = { metadata: { name: "shop", namespace: "web" }, data: { mode: "fast" } };
 * // The ConfigMap is deleted with the Deployment.
 * await client.resource(ConfigMap).namespace("web").create(withOwner(config, shop, { controller: true }));
 * ```
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

/**
 * Returns the object with its managing controller set. Throws a `TypeError` if another controller manages it, if the
 * owner is in another namespace, or if a cluster-scoped object would get a namespaced owner.
 *
 * @example
 * ```ts
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { withController } from "kubestream/objects";
 *
 * const client = await connect();
 * const owner = await client.resource(Deployment).namespace("web").get("shop");
 * const config: ConfigMap = { metadata: { name: "shop-config", namespace: "web" }, data: { mode: "fast" } };
 * await client.resource(ConfigMap).namespace("web").create(withController(config, owner));
 * ```
 */
export function withController<T extends DeepReadonly<KubernetesObject>>(
  object: T,
  owner: DeepReadonly<KubernetesObject>,
  options: Omit<OwnerReferenceOptions, "controller"> = {},
): T {
  const other = getControllerOwner(object);
  if (other !== undefined && other.uid !== owner.metadata?.uid)
    throw new TypeError(`the object is already controlled by ${other.kind} ${JSON.stringify(other.name)}`);
  return withOwner(object, owner, { ...options, controller: true });
}

/** Returns the object with an owner removed, or the same object if it doesn't have that owner. */
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
