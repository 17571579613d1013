import { ClosedError } from "../errors/errors.js";
import type { Kind } from "../meta/kind.js";
import type { CollectionSnapshot } from "../stores/collection-store.js";
import type { ObjectSnapshot } from "../stores/live-stores.js";
import type { LiveQuery, LiveTarget, ObjectTarget } from "../stores/live-target.js";
import type { StoreStatus } from "../stores/store-status.js";
import { useLiveStores } from "./provider.js";
import { type SelectOptions, useStore } from "./use-store.js";

/** Options of the hooks that wait for data. */
export interface SuspenseOptions {
  /**
   * True to suspend until the data is complete, and to throw the server's refusal to the error boundary. Default
   * `false`: `isSynced` and `status` describe the data.
   */
  readonly suspense?: boolean | undefined;
}

/** Options for `useInformer`. */
export interface UseInformerOptions<R> extends LiveQuery, SuspenseOptions, SelectOptions<R> {}

/**
 * Returns a live collection. Components with equal queries share one informer. With `select`, the component renders
 * again only when the selected part changes.
 *
 * @example
 * ```ts
 * import { createElement, type ReactElement } from "react";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { useInformer } from "kubestream/react";
 *
 * export function Pending(): ReactElement {
 *   const count = useInformer(Pod, { namespace: "web" }, ({ items }) =>
 *     items.filter((pod) => pod.status?.phase === "Pending").length,
 *   );
 *   return createElement("p", null, count, " pods are pending");
 * }
 * ```
 */
export function useInformer<T>(
  target: LiveTarget<T>,
  options?: UseInformerOptions<CollectionSnapshot<T>>,
): CollectionSnapshot<T>;
/** Returns a part of a live collection. */
export function useInformer<T, R>(
  target: LiveTarget<T>,
  options: UseInformerOptions<R>,
  select: (snapshot: CollectionSnapshot<T>) => R,
): R;
export function useInformer<T, R>(
  target: LiveTarget<T>,
  options: UseInformerOptions<R> = {},
  select: (snapshot: CollectionSnapshot<T>) => R = whole,
): R {
  const { namespace, labelSelector, fieldSelector } = options;
  const store = useLiveStores().collection(target, { namespace, labelSelector, fieldSelector });
  if (options.suspense === true) suspend(store);
  return useStore(store, select, options);
}

/** Options for `useObject`. */
export interface UseObjectOptions<R> extends SuspenseOptions, SelectOptions<R> {}

/**
 * Returns one live object; `object` is `undefined` while it doesn't exist. With `select`, the component renders again
 * only when the selected part changes.
 *
 * @example
 * ```ts
 * import { createElement, type ReactElement } from "react";
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { useObject } from "kubestream/react";
 *
 * export function Ready({ namespace, name }: { namespace: string; name: string }): ReactElement {
 *   const { object, isSynced } = useObject(Deployment, { namespace, name });
 *   if (!isSynced) return createElement("p", null, "…");
 *   return createElement("p", null, object === undefined ? "not found" : `${object.status?.readyReplicas ?? 0} ready`);
 * }
 * ```
 */
export function useObject<T>(
  kind: Kind<T>,
  target: ObjectTarget,
  options?: UseObjectOptions<ObjectSnapshot<T>>,
): ObjectSnapshot<T>;
/** Returns a part of one live object. */
export function useObject<T, R>(
  kind: Kind<T>,
  target: ObjectTarget,
  options: UseObjectOptions<R>,
  select: (snapshot: ObjectSnapshot<T>) => R,
): R;
export function useObject<T, R>(
  kind: Kind<T>,
  target: ObjectTarget,
  options: UseObjectOptions<R> = {},
  select: (snapshot: ObjectSnapshot<T>) => R = whole,
): R {
  const store = useLiveStores().object(kind, target);
  if (options.suspense === true) suspend(store);
  return useStore(store, select, options);
}

/** Default selector. A constant, so that hooks without a selector keep their subscription. */
function whole<R>(snapshot: unknown): R {
  return snapshot as R;
}

/** Throws the promise of the first data, or the error that keeps it from arriving. */
function suspend(store: {
  getSnapshot(): { readonly isSynced: boolean; readonly status: StoreStatus };
  ready(): Promise<void>;
}): void {
  const { isSynced, status } = store.getSnapshot();
  if (isSynced) return;
  if (status.type === "refused") throw status.error;
  if (status.type === "closed") throw new ClosedError("the stores are closed", { cause: status.error });
  // React waits for a thrown promise; React 18 has no other way.
  const loading: unknown = store.ready();
  throw loading;
}
