/** The part of OpenAPI v3 that types are generated from. */
export interface TypeSchema {
  readonly $ref?: string;
  readonly allOf?: readonly TypeSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, TypeSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: TypeSchema | boolean;
  readonly items?: TypeSchema;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-group-version-kind"?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

/** One kind in one version, as input for a module. */
export interface KindModel {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly status: boolean;
  readonly scale: boolean;
  /** Schema of the object. */
  readonly schema: TypeSchema;
  /** True for a kind from a CustomResourceDefinition. */
  readonly custom: boolean;
  /** Patch types in addition to apply. */
  readonly patchTypes: readonly string[];
}

/** Schemas by the name that a `$ref` uses. */
export type Definitions = ReadonlyMap<string, TypeSchema>;
