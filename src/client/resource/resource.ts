import type { Kind, PatchType, Scope } from "../../meta/kind.js";
import type { List } from "../../meta/list.js";
import type { DeepReadonly, KubernetesObject } from "../../meta/object.js";
import type {
  ApplyOptions,
  CreateOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  PatchOptions,
  UpdateOptions,
  WatchOptions,
} from "../../meta/options.js";
import type { Status } from "../../meta/status.js";
import type { PartialObjectMetadata } from "../../meta/table.js";
import type { ApplyConfiguration, Patch, SubresourceApplyConfiguration } from "../../patch/patch-types.js";
import type { ListWatch, Watch } from "./collection.js";
import type { PagesOptions } from "./pages.js";
import type { ObjectTable, TableItem, TableOptions } from "./table-view.js";

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

/** Options for `deleteCollection`. */
export interface DeleteCollectionOptions extends DeleteOptions, ListOptions {}

/** Options for `update` with a function. `timeoutMs` limits each request. */
export interface UpdateFunctionOptions extends UpdateOptions {
  /** Maximum number of read-and-write attempts; the conflict of the last one is thrown. Default 5. */
  readonly maxAttempts?: number | undefined;
}

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

/**
 * Handle for a subresource of objects in one namespace or the cluster. `T` is the type that it accepts and returns,
 * `Created` the result of `create`.
 */
export interface SubresourceHandle<
  T,
  Created = T,
  P extends PatchType = PatchType,
  Name = string,
  FieldManager extends string | undefined = string | undefined,
> {
  /** Reads the subresource of an object. */
  get(name: string, options?: GetOptions): Promise<T>;
  /** Posts to the subresource of an object: evictions, bindings, tokens. */
  create(name: string, body: DeepReadonly<T>, options?: CreateOptions): Promise<Created>;
  /** Replaces the subresource of the object named by `metadata.name`. */
  update(object: DeepReadonly<T>, options?: UpdateOptions): Promise<T>;
  /**
   * Reads the subresource, applies `change` and writes it back; retries after a conflict. `change` edits its argument
   * or returns another object.
   *
   * @example
   * ```ts
   * import { Deployment } from "kubestream/kinds/apps/v1";
   * import { connect } from "kubestream/node";
   *
   * const client = await connect();
   * await client.resource(Deployment).namespace("web").subresource("scale").update("shop", (scale) => {
   *   scale.spec = { ...scale.spec, replicas: 3 };
   * });
   * ```
   */
  update(name: string, change: UpdateFunction<T>, options?: UpdateFunctionOptions): Promise<T>;
  /** Patches the subresource. */
  patch(name: string, patch: Patch<T, P>, options?: PatchOptions): Promise<T>;
  /** Applies the subresource's fields to the object named by `metadata.name`. */
  apply(configuration: SubresourceApplyConfiguration<T, Name>, ...options: ApplyArguments<FieldManager>): Promise<T>;
}

/** Function for `update`: edits the object in place, or returns the object to write. */
export type UpdateFunction<T> = (object: T) => T | undefined | void | Promise<T | undefined | void>;

/** Result of `create` on a subresource. */
export type SubresourceCreateResult<Sub, Name extends keyof Sub> = Name extends "eviction" | "binding"
  ? Status
  : Sub[Name];

/**
 * Arguments of `apply` after the configuration. For a client with a field manager (`FieldManager` is `string`),
 * `fieldManager` and therefore the options are optional.
 */
export type ApplyArguments<FieldManager extends string | undefined> = [FieldManager] extends [string]
  ? [options?: Partial<ApplyOptions>]
  : [options: ApplyOptions];

declare const subresources: unique symbol;

/**
 * Handle for the objects of a kind in one namespace, or in the cluster for cluster-scoped kinds.
 *
 * @example
 * ```ts
 * import { Node } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const nodes = client.resource(Node);
 * const { items } = await nodes.list({ labelSelector: "node-role.kubernetes.io/worker" });
 * for (const node of items) console.log(node.metadata?.name, node.status?.nodeInfo?.kubeletVersion);
 * ```
 */
export interface Resource<
  T,
  Sub extends object = object,
  P extends PatchType = PatchType,
  FieldManager extends string | undefined = string | undefined,
  S extends Scope = Scope,
> extends Collection<T, S> {
  /** Compile-time only; never set. */
  readonly [subresources]?: Sub | undefined;
  /**
   * Reads one object. Rejects with a `StatusError` that `isNotFound` recognizes if it doesn't exist.
   *
   * @example
   * ```ts
   * import { isNotFound } from "kubestream";
   * import { Secret } from "kubestream/kinds/core/v1";
   * import { connect } from "kubestream/node";
   *
   * const client = await connect();
   * try {
   *   const secret = await client.resource(Secret).namespace("web").get("tls");
   *   console.log(secret.type);
   * } catch (error) {
   *   if (!isNotFound(error)) throw error;
   * }
   * ```
   */
  get(name: string, options?: GetOptions): Promise<T>;
  /**
   * Reads one object. Returns `undefined` if it doesn't exist. Rejects with a `StatusError` if the server doesn't serve
   * the kind.
   *
   * @example
   * ```ts
   * import { ConfigMap } from "kubestream/kinds/core/v1";
   * import { connect } from "kubestream/node";
   *
   * const client = await connect();
   * const config = await client.resource(ConfigMap).namespace("web").getOptional("app");
   * console.log(config?.data?.["mode"] ?? "default");
   * ```
   */
  getOptional(name: string, options?: GetOptions): Promise<T | undefined>;
  /**
   * Creates an object. Fills in missing `apiVersion` and `kind`.
   *
   * @example
   * ```ts
   * import { isAlreadyExists } from "kubestream";
   * import { Namespace } from "kubestream/kinds/core/v1";
   * import { connect } from "kubestream/node";
   *
   * const client = await connect();
   * await client.resource(Namespace).create({ metadata: { name: "team-a" } }).catch((error: unknown) => {
   *   if (!isAlreadyExists(error)) throw error;
   * });
   * ```
   */
  create(object: DeepReadonly<T>, options?: CreateOptions): Promise<T>;
  /** Replaces an object. Rejects with a conflict if `metadata.resourceVersion` is stale. */
  update(object: DeepReadonly<T>, options?: UpdateOptions): Promise<T>;
  /**
   * Reads an object, applies `change` and writes it back; retries after a conflict. `change` edits its argument or
   * returns another object.
   *
   * @example
   * ```ts
   * import { Deployment } from "kubestream/kinds/apps/v1";
   * import { connect } from "kubestream/node";
   *
   * const client = await connect();
   * await client.resource(Deployment).namespace("web").update("shop", (deployment) => {
   *   deployment.metadata = { ...deployment.metadata, annotations: { ...deployment.metadata?.annotations, reviewed: "yes" } };
   * });
   * ```
   */
  update(name: string, change: UpdateFunction<T>, options?: UpdateFunctionOptions): Promise<T>;
  /**
   * Patches an object with a JSON patch, merge patch or strategic merge patch. Custom resources don't support strategic
   * merge patches.
   *
   * @example
   * ```ts
   * import { Deployment } from "kubestream/kinds/apps/v1";
   * import { connect } from "kubestream/node";
   *
   * const client = await connect();
   * const deployments = client.resource(Deployment).namespace("web");
   * await deployments.patch("shop", { type: "merge", patch: { metadata: { labels: { tier: "front" } } } });
   * await deployments.patch("shop", { type: "json", operations: [{ op: "remove", path: "/metadata/labels/tier" }] });
   * ```
   */
  patch(name: string, patch: Patch<T, P>, options?: PatchOptions): Promise<T>;
  /**
   * Creates or updates an object with server-side apply. The field manager becomes the owner of the given fields;
   * fields that it applied before and that are now missing are removed. Rejects with a conflict if another manager owns
   * a field, unless `force` is set.
   * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
   *
   * @example
   * ```ts
   * import { Service } from "kubestream/kinds/core/v1";
   * import { connect } from "kubestream/node";
   *
   * const client = await connect();
   * await client.resource(Service).namespace("web").apply(
   *   {
   *     apiVersion: "v1",
   *     kind: "Service",
   *     metadata: { name: "shop" },
   *     spec: { selector: { app: "shop" }, ports: [{ port: 80, targetPort: "http" }] },
   *   },
   *   { fieldManager: "deployer", force: true },
   * );
   * ```
   */
  apply(configuration: ApplyConfiguration<T>, ...options: ApplyArguments<FieldManager>): Promise<T>;
  /**
   * Deletes one object. The result is a `Status` if it is already gone (`isStatus`), or the object while its deletion
   * is pending.
   *
   * @example
   * ```ts
   * import { isStatus } from "kubestream";
   * import { Pod } from "kubestream/kinds/core/v1";
   * import { connect } from "kubestream/node";
   *
   * const client = await connect();
   * const result = await client.resource(Pod).namespace("web").delete("shop-0", { propagationPolicy: "Background" });
   * console.log(isStatus(result) ? "deleted" : `terminating since ${result.metadata?.deletionTimestamp}`);
   * ```
   */
  delete(name: string, options?: DeleteOptions): Promise<DeleteResult<T>>;
  /**
   * Deletes the selected objects. Returns them in their last state, or a `Status`. For large collections, use
   * `deleteCollectionPages`.
   */
  deleteCollection(options?: DeleteCollectionOptions): Promise<List<T> | Status>;
  /** Returns a handle for a subresource, such as `status` or `scale`. */
  subresource<Name extends keyof Sub & string>(
    name: Name,
  ): SubresourceHandle<Sub[Name], SubresourceCreateResult<Sub, Name>, P, Name, FieldManager>;
  /**
   * Returns a handle for the same objects reduced to their metadata by the server.
   *
   * @example
   * ```ts
   * import { Secret } from "kubestream/kinds/core/v1";
   * import { connect } from "kubestream/node";
   *
   * const client = await connect();
   * const { items } = await client.resource(Secret).namespace("web").metadataOnly().list();
   * console.log(items.map(({ metadata }) => metadata.name));
   * ```
   */
  metadataOnly(): View<PartialObjectMetadata, PartialObjectMetadata, S>;
  /** Returns a handle for the same objects as table rows, with the columns that `kubectl get` prints. */
  asTable<O = PartialObjectMetadata>(options?: TableOptions): View<TableItem<O>, ObjectTable<O>, S>;
}

/**
 * Handle for the objects of a namespaced kind in all namespaces. It can list and watch; `namespace(name)` gives access
 * to single objects.
 */
export interface NamespacedResource<
  T,
  Sub extends object = object,
  P extends PatchType = PatchType,
  FieldManager extends string | undefined = string | undefined,
> extends Collection<T, "Namespaced"> {
  /** Returns a handle for the objects of one namespace. Throws a `TypeError` for an invalid name. */
  namespace(name: string): Resource<T, Sub, P, FieldManager, "Namespaced">;
  /** Returns a handle for the same objects reduced to their metadata by the server. */
  metadataOnly(): Collection<PartialObjectMetadata, "Namespaced">;
  /** Returns a handle for the same objects as table rows, with the columns that `kubectl get` prints. */
  asTable<O = PartialObjectMetadata>(options?: TableOptions): Collection<TableItem<O>, "Namespaced">;
}

/**
 * Handle for the objects of a kind whose scope is known only at run time. Methods that the scope doesn't allow throw a
 * `TypeError`.
 */
export interface DynamicResource<
  T = DynamicObject,
  Sub extends object = Record<string, DynamicObject>,
  P extends PatchType = PatchType,
  FieldManager extends string | undefined = string | undefined,
> extends Resource<T, Sub, P, FieldManager> {
  /**
   * Returns a handle for the objects of one namespace. Throws a `TypeError` for an invalid name and for a
   * cluster-scoped kind.
   */
  namespace(name: string): Resource<T, Sub, P, FieldManager>;
}

/** Type of the handle for a kind, determined by the kind's scope. */
export type ResourceOf<
  T,
  S extends Scope,
  Sub extends object = object,
  P extends PatchType = PatchType,
  FieldManager extends string | undefined = string | undefined,
> = [Scope] extends [S]
  ? DynamicResource<ObjectType<T>, unknown extends T ? Record<string, DynamicObject> : Sub, P, FieldManager>
  : [S] extends ["Cluster"]
    ? Resource<ObjectType<T>, Sub, P, FieldManager, "Cluster">
    : NamespacedResource<ObjectType<T>, Sub, P, FieldManager>;

/**
 * Returns true if the result of a delete is a `Status`: the object is gone. Otherwise the result is the object, whose
 * deletion is pending.
 */
export function isStatus(answer: object): answer is Status {
  return (answer as Status).kind === "Status";
}
