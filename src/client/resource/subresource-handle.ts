import type { PatchType } from "../../meta/kind.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { ApplyOptions, CreateOptions, GetOptions, PatchOptions, UpdateOptions } from "../../meta/options.js";
import type { Status } from "../../meta/status.js";
import type { Patch, SubresourceApplyConfiguration } from "../../patch/patch-types.js";

/** Options for `update` with a function. `timeoutMs` limits each request. */
export interface UpdateFunctionOptions extends UpdateOptions {
  /** Maximum number of read-and-write attempts; the conflict of the last one is thrown. Default 5. */
  readonly maxAttempts?: number | undefined;
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
  /**
   * Posts to the subresource of an object: evictions, bindings, tokens. The body of an eviction or a binding must repeat
   * the name in `metadata.name`; `evict` and `bind` of `kubestream/operations` do that.
   */
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
