import type { Kind, Scope } from "../../meta/kind.js";
import type { List } from "../../meta/list.js";
import type { KubernetesObject } from "../../meta/object.js";
import type { DeleteOptions, GetOptions, ListOptions, WatchOptions } from "../../meta/options.js";
import type { Status } from "../../meta/status.js";
import type { ListWatch, Watch } from "./collection.js";
import type { PagesOptions } from "./pages.js";

/** An object of a kind known only at run time. */
export interface DynamicObject extends KubernetesObject {
  /** Any field. */
  [field: string]: unknown;
}

/** Object type of a kind: `DynamicObject` if the descriptor doesn't specify one. */
export type ObjectType<T> = unknown extends T ? DynamicObject : T;

/**
 * Result of a delete: a `Status` if the object is gone, or the object if finalizers or a grace period delay its
 * deletion.
 */
export type DeleteResult<T> = T | Status;

/**
 * Returns true if the result of a delete is a `Status`: the object is gone. Otherwise the result is the object, whose
 * deletion is pending.
 */
export function isStatus(answer: object): answer is Status {
  return (answer as Status).kind === "Status";
}

/** Options for `deleteCollection`. */
export interface DeleteCollectionOptions extends DeleteOptions, ListOptions {}

/** Handle for the objects of a kind that can be listed and watched, in one namespace or across all. */
export interface Collection<T, S extends Scope = Scope> extends ListWatch<T> {
  /** Kind of the objects. */
  readonly kind: Kind<unknown, S>;
  /** Namespace. Absent for cluster-scoped kinds and for handles across all namespaces. */
  readonly namespaceName?: string | undefined;
  /**
   * Lists the objects page by page, 500 per page unless `limit` is set. The iterable is single-use and supports
   * `await using`.
   */
  pages(options?: PagesOptions): AsyncIterableIterator<List<T>> & AsyncDisposable;
  /**
   * Lists the objects one by one and fetches them page by page. The iterable is single-use and supports `await using`.
   *
   * @example
   * ```ts
   * import { Pod } from "kubestream/kinds/core/v1";
   * import { connect } from "kubestream/node";
   *
   * const client = await connect();
   * for await (const pod of client.resource(Pod).items({ limit: 200, onExpired: "continue" })) {
   *   if (pod.status?.phase !== "Failed") continue;
   *   console.log("first failed pod:", pod.metadata?.namespace, pod.metadata?.name);
   *   break; // Requests no further pages.
   * }
   * ```
   */
  items(options?: PagesOptions): AsyncIterableIterator<T> & AsyncDisposable;
  /**
   * Opens a watch immediately; errors surface at the first `next()`. An ERROR event is thrown as a `StatusError`.
   * `break`, `return()` and `await using` close it. A watch ends when the server closes it: for a view that survives
   * disconnects, use an informer from `kubestream/cache`.
   *
   * @example
   * ```ts
   * import { Deployment } from "kubestream/kinds/apps/v1";
   * import { connect } from "kubestream/node";
   *
   * const client = await connect();
   * const deployments = client.resource(Deployment).namespace("web");
   * for await (const event of deployments.watch({ fieldSelector: "metadata.name=shop", timeoutSeconds: 300 })) {
   *   if (event.type === "BOOKMARK") continue;
   *   if (event.object.status?.availableReplicas === event.object.spec?.replicas) break;
   * }
   * ```
   */
  watch(options?: WatchOptions): Watch<T> & AsyncDisposable;
}

/** Handle for the objects of a kind in a reduced form: metadata only, or table rows. */
export interface View<T, One = T, S extends Scope = Scope> extends Collection<T, S> {
  /** Reads one object. */
  get(name: string, options?: GetOptions): Promise<One>;
  /**
   * Reads one object. Returns `undefined` if it doesn't exist. Throws a `StatusError` if the server doesn't serve the
   * kind.
   */
  getOptional(name: string, options?: GetOptions): Promise<One | undefined>;
  /** Deletes one object. */
  delete(name: string, options?: DeleteOptions): Promise<DeleteResult<One>>;
  /** Deletes the selected objects. Returns them in their last state, or a `Status`. */
  deleteCollection(options?: DeleteCollectionOptions): Promise<List<T> | Status>;
}
