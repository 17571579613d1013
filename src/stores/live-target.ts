import type { Client } from "../client/client.js";
import type { ListWatch } from "../client/resource/collection.js";
import type { ObjectType } from "../client/resource/collection-handle.js";
import type { DynamicResource } from "../client/resource/resource.js";
import type { Kind } from "../meta/kind.js";

/** A collection to follow: a kind of the stores' client, or a resource handle or other `ListWatch` of any client. */
export type LiveTarget<T> = Kind<T> | ListWatch<T>;

/** Part of a collection to follow. */
export interface LiveQuery {
  /** Namespace. Default: all namespaces. Only valid with a kind; a handle has its own. */
  readonly namespace?: string | undefined;
  /** Label selector, such as `app=web,tier!=db`. */
  readonly labelSelector?: string | undefined;
  /** Field selector, such as `status.phase=Running`. */
  readonly fieldSelector?: string | undefined;
}

/** Name of an object. */
export interface ObjectTarget {
  /** Namespace; absent for cluster-scoped objects. */
  readonly namespace?: string | undefined;
  /** Name. */
  readonly name: string;
}

/** Returns the handle of a kind in a namespace, or in all. Throws a `TypeError` for a cluster-scoped kind with one. */
export function handleFor<T>(
  client: Client,
  kind: Kind<T>,
  namespace: string | undefined,
): DynamicResource<ObjectType<T>> {
  const handle = client.resource(kind) as unknown as DynamicResource<ObjectType<T>>;
  return namespace === undefined ? handle : (handle.namespace(namespace) as DynamicResource<ObjectType<T>>);
}

/** Returns true for a handle; false for a kind. */
export function isListWatch<T>(target: LiveTarget<T>): target is ListWatch<T> {
  return "watch" in target;
}

/** Returns the collection of a target. Throws a `TypeError` if a handle comes with a namespace. */
export function sourceFor<T>(client: Client, target: LiveTarget<T>, namespace: string | undefined): ListWatch<T> {
  if (!isListWatch(target)) return handleFor(client, target, namespace) as unknown as ListWatch<T>;
  if (namespace !== undefined)
    throw new TypeError(`options.namespace is only valid with a kind: ${target.description} is a handle`);
  return target;
}
