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

/** An object of a kind that is known only at run time. */
export interface DynamicObject extends KubernetesObject {
  /** Any field. */
  [field: string]: unknown;
}

/** The objects of a kind: `DynamicObject` where the descriptor does not say. */
export type ObjectType<T> = unknown extends T ? DynamicObject : T;

/** Result of a delete: a `Status` if the object is gone, or the object if finalizers or a grace period delay its deletion. */
export type DeleteResult<T> = T | Status;

/** Options of `deleteCollection`. */
export interface DeleteCollectionOptions extends DeleteOptions, ListOptions {}

/** Options for `update` with a function. `timeoutMs` limits each request. */
export interface UpdateFunctionOptions extends UpdateOptions {
  /** Maximum number of read-and-write attempts; the conflict of the last one is thrown. Default 5. */
  readonly maxAttempts?: number;
}

/** The objects of a kind, in a namespace or everywhere: what can be listed and watched. */
export interface Collection<T> extends ListWatch<T> {
  /** The kind. */
  readonly kind: Kind;
  /** The namespace; absent for cluster-scoped kinds and for all namespaces. */
  readonly namespaceName?: string;
  /** The list page by page, 500 objects each unless `limit` says otherwise; a single-use iterable, for `await using` too. */
  pages(options?: PagesOptions): AsyncIterableIterator<List<T>> & AsyncDisposable;
  /** The objects of the list one by one, fetched page by page; a single-use iterable, for `await using` too. */
  items(options?: PagesOptions): AsyncIterableIterator<T> & AsyncDisposable;
  /** Opens a watch at once; failures surface at the first `next()`. An ERROR event is thrown as a `StatusError`. `break`, `return()` and `await using` close it. */
  watch(options?: WatchOptions): Watch<T> & AsyncDisposable;
}

/** Objects of a kind in a reduced form: their metadata, or rows of a table. */
export interface View<T, One = T> extends Collection<T> {
  /** Reads one object. */
  get(name: string, options?: GetOptions): Promise<One>;
  /** Reads one object and returns `undefined` if it does not exist. Throws a `StatusError` if the server does not serve the kind. */
  getOptional(name: string, options?: GetOptions): Promise<One | undefined>;
  /** Deletes one object. */
  delete(name: string, options?: DeleteOptions): Promise<DeleteResult<One>>;
  /** Deletes the objects that the options select; answers with what they were. */
  deleteCollection(options?: DeleteCollectionOptions): Promise<List<T> | Status>;
}

/** A subresource of the objects in one place. `T` is what it takes and answers, `Created` what `create` answers. */
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
  /** Replaces the subresource of the object that `metadata.name` names. */
  update(object: DeepReadonly<T>, options?: UpdateOptions): Promise<T>;
  /** Reads, changes and writes the subresource, again after a conflict; `change` edits its argument or returns another object. */
  update(name: string, change: UpdateFunction<T>, options?: UpdateFunctionOptions): Promise<T>;
  /** Patches the subresource. */
  patch(name: string, patch: Patch<T, P>, options?: PatchOptions): Promise<T>;
  /** Applies the subresource's fields of the object that `metadata.name` names. */
  apply(configuration: SubresourceApplyConfiguration<T, Name>, ...options: ApplyArguments<FieldManager>): Promise<T>;
}

/** Function for `update`: edits the object in place or returns the object to write. */
export type UpdateFunction<T> = (object: T) => T | undefined | void | Promise<T | undefined | void>;

/** Result of `create` on a subresource. */
export type SubresourceCreateResult<Sub, Name extends keyof Sub> = Name extends "eviction" | "binding"
  ? Status
  : Sub[Name];

/**
 * Arguments of `apply` after the configuration. A client that has a field manager (`FieldManager` is a `string`) makes
 * `fieldManager`, and with it the options, optional.
 */
export type ApplyArguments<FieldManager extends string | undefined> = [FieldManager] extends [string]
  ? [options?: Partial<ApplyOptions>]
  : [options: ApplyOptions];

declare const subresources: unique symbol;

/** The objects of a kind in one place: a namespace, or the cluster for cluster-scoped kinds. */
export interface Resource<
  T,
  Sub extends object = object,
  P extends PatchType = PatchType,
  FieldManager extends string | undefined = string | undefined,
> extends Collection<T> {
  /** Compile-time only; never set. */
  readonly [subresources]?: Sub;
  /** Reads one object. Throws a `StatusError` that `isNotFound` recognises if there is none. */
  get(name: string, options?: GetOptions): Promise<T>;
  /** Reads one object and returns `undefined` if it does not exist. Throws a `StatusError` if the server does not serve the kind. */
  getOptional(name: string, options?: GetOptions): Promise<T | undefined>;
  /** Creates an object. Missing `apiVersion` and `kind` are filled in. */
  create(object: DeepReadonly<T>, options?: CreateOptions): Promise<T>;
  /** Replaces an object; with a stale `metadata.resourceVersion` it throws a conflict. */
  update(object: DeepReadonly<T>, options?: UpdateOptions): Promise<T>;
  /** Reads, changes and writes an object, again after a conflict; `change` edits its argument or returns another object. */
  update(name: string, change: UpdateFunction<T>, options?: UpdateFunctionOptions): Promise<T>;
  /** Patches an object. */
  patch(name: string, patch: Patch<T, P>, options?: PatchOptions): Promise<T>;
  /**
   * Server-side apply: makes the given fields, and only those, be as given and owned by the field manager.
   * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
   */
  apply(configuration: ApplyConfiguration<T>, ...options: ApplyArguments<FieldManager>): Promise<T>;
  /** Deletes one object. `isStatus` tells whether it is gone already. */
  delete(name: string, options?: DeleteOptions): Promise<DeleteResult<T>>;
  /** Deletes the objects that the options select; answers with what they were. */
  deleteCollection(options?: DeleteCollectionOptions): Promise<List<T> | Status>;
  /** A subresource, as `status` or `scale`. */
  subresource<Name extends keyof Sub & string>(
    name: Name,
  ): SubresourceHandle<Sub[Name], SubresourceCreateResult<Sub, Name>, P, Name, FieldManager>;
  /** The same objects reduced to their metadata, by the server. */
  metadataOnly(): View<PartialObjectMetadata>;
  /** The same objects as the server would print them. */
  asTable<O = PartialObjectMetadata>(options?: TableOptions): View<TableItem<O>, ObjectTable<O>>;
}

/** The objects of a namespaced kind in all namespaces: they can be listed and watched. */
export interface NamespacedResource<
  T,
  Sub extends object = object,
  P extends PatchType = PatchType,
  FieldManager extends string | undefined = string | undefined,
> extends Collection<T> {
  /** The objects of one namespace. Throws a `TypeError` for a text that is no name. */
  namespace(name: string): Resource<T, Sub, P, FieldManager>;
  /** The same objects reduced to their metadata, by the server. */
  metadataOnly(): Collection<PartialObjectMetadata>;
  /** The same objects as the server would print them. */
  asTable<O = PartialObjectMetadata>(options?: TableOptions): Collection<TableItem<O>>;
}

/** The objects of a kind whose scope is known only at run time. Methods that the scope does not allow throw a `TypeError`. */
export interface DynamicResource<
  T = DynamicObject,
  Sub extends object = Record<string, DynamicObject>,
  P extends PatchType = PatchType,
  FieldManager extends string | undefined = string | undefined,
> extends Resource<T, Sub, P, FieldManager> {
  /** The objects of one namespace. Throws a `TypeError` for a text that is no name and for a cluster-scoped kind. */
  namespace(name: string): Resource<T, Sub, P, FieldManager>;
}

/** The handle that a kind gives: which one is decided by its scope. */
export type ResourceOf<
  T,
  S extends Scope,
  Sub extends object = object,
  P extends PatchType = PatchType,
  FieldManager extends string | undefined = string | undefined,
> = [Scope] extends [S]
  ? DynamicResource<ObjectType<T>, unknown extends T ? Record<string, DynamicObject> : Sub, P, FieldManager>
  : [S] extends ["Cluster"]
    ? Resource<ObjectType<T>, Sub, P, FieldManager>
    : NamespacedResource<ObjectType<T>, Sub, P, FieldManager>;

/** Whether a delete was answered by a Status: the object is gone. Otherwise the answer is the object as it is about to go. */
export function isStatus(answer: object): answer is Status {
  return (answer as Status).kind === "Status";
}
