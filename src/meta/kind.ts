import type { StandardSchema } from "./standard-schema.js";

/** Where objects of a kind live: in a namespace or in the cluster as a whole. */
export type Scope = "Namespaced" | "Cluster";

/** The patch types of the API besides apply, by their short names. */
export type PatchType = "json" | "merge" | "strategic";

declare const shape: unique symbol;

/**
 * Static description of one kind: enough to form its URLs. It is a plain object; the type parameters exist only at
 * compile time.
 *
 * `T` is the object, `S` its scope, `Sub` maps each subresource's name to the type it takes and answers, `P` names
 * the patch types that the server accepts for it (custom resources take no strategic merge patch).
 */
export interface Kind<
  T = unknown,
  S extends Scope = Scope,
  Sub extends object = object,
  P extends PatchType = PatchType,
> {
  /** API group; `""` for the core group. */
  readonly group: string;
  /** API version, as `v1`. */
  readonly version: string;
  /** Name of the kind in CamelCase, as `Deployment`. */
  readonly kind: string;
  /** Name of the resource in URLs, as `deployments`. */
  readonly plural: string;
  /** Whether its objects live in namespaces. */
  readonly scope: S;
  /** True for kinds served from a CustomResourceDefinition: they speak no Protobuf and take no strategic merge patch. */
  readonly custom?: boolean;
  /** Validator of the objects, for kinds that were defined with one. */
  readonly schema?: StandardSchema<unknown, object>;
  /** Compile-time only; never set. */
  readonly [shape]?: { readonly object: T; readonly subresources: Sub; readonly patches: P };
}

/** The object type of a kind descriptor. */
export type ObjectOf<K> = K extends Kind<infer T, Scope, object, PatchType> ? T : never;

/** Returns the `apiVersion` of a kind's objects: `group/version`, or the version alone for the core group. */
export function getApiVersion(kind: Pick<Kind, "group" | "version">): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}
