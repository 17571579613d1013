import type { StandardSchema } from "./standard-schema.js";

/** Scope of a kind's objects: in a namespace, or cluster-wide. */
export type Scope = "Namespaced" | "Cluster";

/** Short names of the patch types, except apply. */
export type PatchType = "json" | "merge" | "strategic";

declare const shape: unique symbol;

/**
 * Static descriptor of a kind: the names that form its URLs. It is a plain object; the type parameters exist only at
 * compile time. Built-in kinds are exported by `kubestream/kinds/*`; use `defineKind` for custom ones.
 *
 * `T` is the object type and `S` the scope. `Sub` maps each subresource's name to its type. `P` lists the patch types
 * that the server supports for the kind (custom resources don't support strategic merge patches).
 *
 * @example
 * ```ts
 * import type { Kind } from "kubestream";
 * import { Pod } from "kubestream/kinds/core/v1";
 *
 * // Untyped: the scope and the object type are known only at run time.
 * const kinds: Kind[] = [Pod, { group: "example.com", version: "v1", kind: "Widget", plural: "widgets", scope: "Namespaced" }];
 * console.log(kinds.map(({ plural }) => plural));
 * ```
 */
export interface Kind<
  T = unknown,
  S extends Scope = Scope,
  Sub extends object = object,
  P extends PatchType = PatchType,
> {
  /** API group; `""` for the core group. */
  readonly group: string;
  /** API version, such as `v1`. */
  readonly version: string;
  /** Name of the kind in CamelCase, such as `Deployment`. */
  readonly kind: string;
  /** Name of the resource in URLs, such as `deployments`. */
  readonly plural: string;
  /** Scope of its objects: in namespaces or cluster-wide. */
  readonly scope: S;
  /** True for kinds from a CustomResourceDefinition, which support neither Protobuf nor strategic merge patches. */
  readonly custom?: boolean | undefined;
  /** Validator for the objects, if the kind was defined with one. */
  readonly schema?: StandardSchema<unknown, object> | undefined;
  /** Compile-time only; never set. */
  readonly [shape]?: { readonly object: T; readonly subresources: Sub; readonly patches: P } | undefined;
}

/** Object type of a kind descriptor. */
export type ObjectOf<K> = K extends Kind<infer T, Scope, object, PatchType> ? T : never;

/** Returns the `apiVersion` of a kind's objects: `group/version`, or only the version for the core group. */
export function getApiVersion(kind: Pick<Kind, "group" | "version">): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/** Splits an `apiVersion` into group and version. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
