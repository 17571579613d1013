import type { CustomKind, CustomObject, KindNames } from "./define-kind.js";
import { defineKind } from "./define-kind.js";
import type { Scope } from "./kind.js";
import type { ValueOfSchema } from "./object-of-schema.js";

/** What `defineKindFromCrd` reads of a CustomResourceDefinition. */
export interface CrdManifest {
  /** The definition. */
  readonly spec: {
    /** API group. */
    readonly group: string;
    /** Names of the kind. */
    readonly names: { readonly kind: string; readonly plural: string };
    /** Where its objects live. */
    readonly scope: Scope;
    /** The versions. */
    readonly versions: readonly CrdVersion[];
  };
}

/** One version of a CustomResourceDefinition. */
export interface CrdVersion {
  /** Name, as `v1`. */
  readonly name: string;
  /** Its schema. */
  readonly schema?: { readonly openAPIV3Schema?: object };
  /** Its subresources. */
  readonly subresources?: { readonly status?: object; readonly scale?: object };
}

/** The version of this name. */
export type CrdVersionOf<C extends CrdManifest, V> = Extract<C["spec"]["versions"][number], { readonly name: V }>;

/** The names in a CustomResourceDefinition. */
export interface CrdNames<C extends CrdManifest, V extends string> extends KindNames {
  /** API group. */
  readonly group: C["spec"]["group"];
  /** The chosen version. */
  readonly version: V;
  /** Name of the kind. */
  readonly kind: C["spec"]["names"]["kind"];
  /** Name of the resource in URLs. */
  readonly plural: C["spec"]["names"]["plural"];
  /** Where its objects live. */
  readonly scope: C["spec"]["scope"];
  /** Whether the version has the `scale` subresource. */
  readonly scale: CrdVersionOf<C, V> extends { readonly subresources: { readonly scale: object } } ? true : false;
}

type SchemaOf<Version> = Version extends { readonly schema: { readonly openAPIV3Schema: infer S } } ? S : unknown;

/** Object of a CustomResourceDefinition's version: its schema as a type, with the kind's own names and metadata. */
export type CrdObject<C extends CrdManifest, V extends string> = Omit<
  KnownObject<ValueOfSchema<SchemaOf<CrdVersionOf<C, V>>>>,
  "apiVersion" | "kind" | "metadata"
> &
  Pick<CustomObject<CrdNames<C, V>, never>, "apiVersion" | "kind" | "metadata">;

type KnownObject<T> = unknown extends T ? Record<string, unknown> : T;

/**
 * Describes the kind of a CustomResourceDefinition that is written down in the program: the types follow from the
 * literal's schema. For a manifest in a file, `kubestream types` writes a module instead. Throws a `TypeError` where
 * the definition has no such version.
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
      `define kind ${JSON.stringify(names.kind)}: no version ${JSON.stringify(version)}, there are: ${known}`,
    );
  }
  return defineKind<unknown>()({ group, version, kind: names.kind, plural: names.plural, scope }) as never;
}
