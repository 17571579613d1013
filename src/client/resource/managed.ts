import type { PatchType, Scope } from "../../meta/kind.js";
import type { ApplyOptions } from "../../meta/options.js";
import type { ApplyConfiguration, SubresourceApplyConfiguration } from "../../patch/patch-types.js";
import type {
  AnswerToCreate,
  DynamicObject,
  DynamicResource,
  NamespacedResource,
  ObjectType,
  Resource,
  SubresourceHandle,
} from "./resource.js";

/** Options of an `apply` by a client that has a field manager. */
export interface ManagedApplyOptions extends Omit<ApplyOptions, "fieldManager"> {
  /** Name under which the applied fields are owned. Default: the client's. */
  readonly fieldManager?: string;
}

/** A subresource, of a client that has a field manager. */
export interface ManagedSubresourceHandle<T, Created = T, P extends PatchType = PatchType, Name = string>
  extends SubresourceHandle<T, Created, P, Name> {
  /** Applies the subresource's fields of the object that `metadata.name` names. */
  apply(configuration: SubresourceApplyConfiguration<T, Name>, options?: ManagedApplyOptions): Promise<T>;
}

/** The objects of a kind in one place, of a client that has a field manager. */
export interface ManagedResource<T, Sub extends object = object, P extends PatchType = PatchType>
  extends Resource<T, Sub, P> {
  /** Server-side apply under the client's field manager. */
  apply(configuration: ApplyConfiguration<T>, options?: ManagedApplyOptions): Promise<T>;
  /** A subresource, as `status` or `scale`. */
  subresource<Name extends keyof Sub & string>(
    name: Name,
  ): ManagedSubresourceHandle<Sub[Name], AnswerToCreate<Sub, Name>, P, Name>;
}

/** The objects of a namespaced kind in all namespaces, of a client that has a field manager. */
export interface ManagedNamespacedResource<T, Sub extends object = object, P extends PatchType = PatchType>
  extends NamespacedResource<T, Sub, P> {
  /** The objects of one namespace. Throws a `TypeError` for a text that is no name. */
  namespace(name: string): ManagedResource<T, Sub, P>;
}

/** The objects of a kind whose scope is known only at run time, of a client that has a field manager. */
export interface ManagedDynamicResource<
  T = DynamicObject,
  Sub extends object = Record<string, DynamicObject>,
  P extends PatchType = PatchType,
> extends DynamicResource<T, Sub, P> {
  /** Server-side apply under the client's field manager. */
  apply(configuration: ApplyConfiguration<T>, options?: ManagedApplyOptions): Promise<T>;
  /** A subresource, as `status` or `scale`. */
  subresource<Name extends keyof Sub & string>(
    name: Name,
  ): ManagedSubresourceHandle<Sub[Name], AnswerToCreate<Sub, Name>, P, Name>;
  /** The objects of one namespace. Throws a `TypeError` for a text that is no name and for a cluster-scoped kind. */
  namespace(name: string): ManagedResource<T, Sub, P>;
}

/** The handle that a kind gives a client that has a field manager. */
export type ManagedResourceOf<T, S extends Scope, Sub extends object = object, P extends PatchType = PatchType> = [
  Scope,
] extends [S]
  ? ManagedDynamicResource<ObjectType<T>, unknown extends T ? Record<string, DynamicObject> : Sub, P>
  : [S] extends ["Cluster"]
    ? ManagedResource<ObjectType<T>, Sub, P>
    : ManagedNamespacedResource<ObjectType<T>, Sub, P>;
