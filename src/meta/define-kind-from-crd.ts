import type { CustomKind, CustomObject, KindNames } from "./define-kind.js";
import { defineKind } from "./define-kind.js";
import type { Scope } from "./kind.js";
import type { ValueOfSchema } from "./object-of-schema.js";

/** The parts of a CustomResourceDefinition that `defineKindFromCrd` reads. */
export interface CrdManifest {
  /** Specification of the definition. */
  readonly spec: {
    /** API group. */
    readonly group: string;
    /** Names of the kind. */
    readonly names: { readonly kind: string; readonly plural: string };
    /** Scope of its objects. */
    readonly scope: Scope;
    /** Versions. */
    readonly versions: readonly CrdVersion[];
  };
}

/** One version of a CustomResourceDefinition. */
export interface CrdVersion {
  /** Name, such as `v1`. */
  readonly name: string;
  /** Validation schema. */
  readonly schema?: { readonly openAPIV3Schema?: object | undefined } | undefined;
  /** Enabled subresources. */
  readonly subresources?: { readonly status?: object | undefined; readonly scale?: object | undefined } | undefined;
}

/** Type of one version of a CustomResourceDefinition, by its name. */
export type CrdVersionOf<C extends CrdManifest, V> = Extract<C["spec"]["versions"][number], { readonly name: V }>;

/** Names in a CustomResourceDefinition. */
export interface CrdNames<C extends CrdManifest, V extends string> extends KindNames {
  /** API group. */
  readonly group: C["spec"]["group"];
  /** Selected version. */
  readonly version: V;
  /** Name of the kind. */
  readonly kind: C["spec"]["names"]["kind"];
  /** Name of the resource in URLs. */
  readonly plural: C["spec"]["names"]["plural"];
  /** Scope of its objects. */
  readonly scope: C["spec"]["scope"];
  /** True if the version has the `scale` subresource. */
  readonly scale: CrdVersionOf<C, V> extends { readonly subresources: { readonly scale: object } } ? true : false;
}

type SchemaOf<Version> = Version extends { readonly schema: { readonly openAPIV3Schema: infer S } } ? S : unknown;

/**
 * Object type of one version of a CustomResourceDefinition, derived from its schema, with exact `apiVersion` and `kind`
 * and standard metadata.
 */
export type CrdObject<C extends CrdManifest, V extends string> = Omit<
  KnownObject<ValueOfSchema<SchemaOf<CrdVersionOf<C, V>>>>,
  "apiVersion" | "kind" | "metadata"
> &
  Pick<CustomObject<CrdNames<C, V>, never>, "apiVersion" | "kind" | "metadata">;

type KnownObject<T> = unknown extends T ? Record<string, unknown> : T;

/**
 * Creates a typed kind descriptor from a CustomResourceDefinition in the source code: the object type is inferred from
 * the literal's schema. For a manifest in a file, generate a module with `kubestream types` instead. Throws a
 * `TypeError` if the definition doesn't have the version.
 *
 * @example
 * ```ts
 * import { defineKindFromCrd } from "kubestream";
 *
 * export const Widget = defineKindFromCrd(
 *   {
 *     spec: {
 *       group: "example.com",
 *       names: { kind: "Widget", plural: "widgets" },
 *       scope: "Namespaced",
 *       versions: [{ name: "v1", schema: { openAPIV3Schema: { type: "object", properties: { size: { type: "integer" } } } } }],
 *     },
 *   },
 *   "v1",
 * );
 * ```
 */
export function defineKindFromCrd<const C extends CrdManifest, const V extends C["spec"]["versions"][number]["name"]>(
  crd: C,
  version: V,
): CustomKind<
  CrdNames<C, V>,
  CrdObject<C, V>,
  CrdVersionOf<C, V> extends { readonly subresources: { readonly status: object } } ? true : false
> {
  const { group, names, scope, versions } = crd.spec;
  if (!versions.some((each) => each.name === version)) {
    const known = versions.map((each) => each.name).join(", ");
    throw new TypeError(
      `define kind ${JSON.stringify(names.kind)}: unknown version ${JSON.stringify(version)}; available: ${known}`,
    );
  }
  return defineKind<unknown>()({ group, version, kind: names.kind, plural: names.plural, scope }) as never;
}
