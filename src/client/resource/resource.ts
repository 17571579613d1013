import type { PatchType, Scope } from "../../meta/kind.js";
import type { List } from "../../meta/list.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { CreateOptions, DeleteOptions, GetOptions, PatchOptions, UpdateOptions } from "../../meta/options.js";
import type { Status } from "../../meta/status.js";
import type { PartialObjectMetadata } from "../../meta/table.js";
import type { ApplyConfiguration, Patch } from "../../patch/patch-types.js";
import type {
  Collection,
  DeleteCollectionOptions,
  DeleteResult,
  DynamicObject,
  ObjectType,
  View,
} from "./collection-handle.js";
import type {
  ApplyArguments,
  SubresourceCreateResult,
  SubresourceHandle,
  UpdateFunction,
  UpdateFunctionOptions,
} from "./subresource-handle.js";
import type { ObjectTable, TableItem, TableOptions } from "./table-view.js";

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
