import type { PatchType } from "../meta/kind.js";
import type { DeepReadonly, KubernetesObject, ObjectMeta } from "../meta/object.js";

/**
 * JSON merge patch of `T` (RFC 7386). Fields in the patch are set, `null` deletes a field, and an array replaces the
 * whole array.
 */
export type MergePatch<T> = T extends readonly unknown[]
  ? DeepReadonly<T>
  : T extends object
    ? { readonly [K in keyof T]?: MergePatch<NonNullable<T[K]>> | null | undefined }
    : T;

/** Directives for an object in a strategic merge patch. */
export interface StrategicDirectives<Keys = string> {
  /** `replace` replaces the object with the patch, `delete` removes it, `merge` (default) merges. */
  readonly $patch?: "replace" | "delete" | "merge" | undefined;
  /** Fields to keep, for a field with the patch strategy `retainKeys`; all others are cleared. */
  readonly $retainKeys?: readonly Keys[] | undefined;
}

/**
 * Strategic merge patch of `T`. Unlike a merge patch, it merges lists that have a merge key by that key. An element
 * `{ $patch: "delete", name: "x" }` removes the element with that key. An element `{ $patch: "replace" }` makes the
 * list replace the old one.
 * @see https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/
 */
export type StrategicMergePatch<T> = T extends readonly (infer E)[]
  ? readonly StrategicMergePatch<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: StrategicMergePatch<NonNullable<T[K]>> | null | undefined } & StrategicDirectives<
        keyof T
      > &
        ListDirectives<T>
    : T;

type ListKeys<T> = { [K in keyof T & string]: NonNullable<T[K]> extends readonly unknown[] ? K : never }[keyof T &
  string];
type PrimitiveListKeys<T> = {
  [K in keyof T & string]: NonNullable<T[K]> extends readonly (string | number)[] ? K : never;
}[keyof T & string];

/** Directives for the lists of an object. They stand next to the lists. */
export type ListDirectives<T> = {
  /** Values to remove from a list of strings or numbers. */
  readonly [K in PrimitiveListKeys<T> as `$deleteFromPrimitiveList/${K}`]?: DeepReadonly<NonNullable<T[K]>>;
} & {
  /** Order of the elements, by their merge keys. */
  readonly [K in ListKeys<T> as `$setElementOrder/${K}`]?: readonly (
    | string
    | number
    | Readonly<Record<string, unknown>>
  )[];
};

/** Operation of a JSON Patch (RFC 6902). Paths are JSON pointers. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown; readonly from?: never }
  | { readonly op: "remove"; readonly path: string; readonly value?: never; readonly from?: never }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string; readonly value?: never };

/** Patches of `T` by their type. */
export interface PatchesByType<T> {
  /** JSON merge patch. */
  readonly merge: { readonly type: "merge"; readonly patch: MergePatch<T> };
  /** Strategic merge patch; built-in kinds only. */
  readonly strategic: { readonly type: "strategic"; readonly patch: StrategicMergePatch<T> };
  /** JSON Patch. */
  readonly json: { readonly type: "json"; readonly operations: readonly JsonPatchOperation[] };
}

/** Patch of `T`, of one of the types in `P`. */
export type Patch<T, P extends PatchType = PatchType> = PatchesByType<T>[P];

/** `T` with every field optional at every level: the fields that a field manager wants to own. */
export type Applied<T> = T extends readonly (infer E)[]
  ? readonly Applied<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Applied<T[K]> | undefined }
    : T;

/** Metadata of an apply configuration. The name is required; managed fields aren't allowed. */
export type ApplyMetadata = Applied<Omit<ObjectMeta, "name" | "managedFields">> & {
  /** Name of the object. */
  readonly name: string;
  /** Never set: the server rejects it. */
  readonly managedFields?: never;
};

type TypeOf<T, K extends "apiVersion" | "kind"> = T extends { [P in K]?: infer V } ? NonNullable<V> & string : string;

/** Fields that every apply configuration must have. */
export interface ApplyIdentity<T> {
  /** API version. The server stores the manager's fields in this version. */
  readonly apiVersion: TypeOf<T, "apiVersion">;
  /** Kind. */
  readonly kind: TypeOf<T, "kind">;
  /** Name of the object, and the metadata fields to own. */
  readonly metadata: ApplyMetadata;
}

/**
 * Object for server-side apply. It contains only the fields that the manager wants to own. Apply the status through its
 * subresource.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export type ApplyConfiguration<T> = unknown extends T
  ? ApplyIdentity<KubernetesObject> & Readonly<Record<string, unknown>>
  : ApplyIdentity<T> & Applied<Omit<T, "apiVersion" | "kind" | "metadata" | "status">>;

/** Apply configuration for the `status` subresource. */
export type StatusApplyConfiguration<T> = ApplyIdentity<T> & Applied<Pick<T, keyof T & "status">>;

/** Apply configuration for the subresource `Name`, whose type is `T`. */
export type SubresourceApplyConfiguration<T, Name> = Name extends "status"
  ? StatusApplyConfiguration<T>
  : ApplyConfiguration<T>;
