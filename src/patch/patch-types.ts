import type { PatchType } from "../meta/kind.js";
import type { DeepReadonly, KubernetesObject, ObjectMeta } from "../meta/object.js";

/**
 * A JSON merge patch of `T` (RFC 7386): fields that are there are set, `null` deletes a field, an array replaces the
 * whole array.
 */
export type MergePatch<T> = T extends readonly unknown[]
  ? DeepReadonly<T>
  : T extends object
    ? { readonly [K in keyof T]?: MergePatch<NonNullable<T[K]>> | null | undefined }
    : T;

/** What a strategic merge patch may say of an object besides its fields. */
export interface StrategicDirectives<Keys = string> {
  /** `replace` takes the object as it stands in the patch, `delete` removes it, `merge` is the default. */
  readonly $patch?: "replace" | "delete" | "merge";
  /** The only fields that remain, for fields whose patch strategy is `retainKeys`. */
  readonly $retainKeys?: readonly Keys[];
}

/**
 * A strategic merge patch of `T`: as a merge patch, but lists with a merge key are merged by it. An element
 * `{ $patch: "delete", name: "x" }` removes the one of that key, an element `{ $patch: "replace" }` makes the list
 * replace the old one.
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

/** Directives on the lists of an object, which stand beside them. */
export type ListDirectives<T> = {
  /** Values to take out of a list of strings or numbers. */
  readonly [K in PrimitiveListKeys<T> as `$deleteFromPrimitiveList/${K}`]?: DeepReadonly<NonNullable<T[K]>>;
} & {
  /** The order of the elements, named by their merge keys. */
  readonly [K in ListKeys<T> as `$setElementOrder/${K}`]?: readonly (
    | string
    | number
    | Readonly<Record<string, unknown>>
  )[];
};

/** One operation of a JSON Patch (RFC 6902); paths are JSON pointers. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown; readonly from?: never }
  | { readonly op: "remove"; readonly path: string; readonly value?: never; readonly from?: never }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string; readonly value?: never };

/** A patch by its type: a merge patch, a strategic merge patch, or operations. */
export interface PatchesByType<T> {
  /** JSON merge patch. */
  readonly merge: { readonly type: "merge"; readonly patch: MergePatch<T> };
  /** Strategic merge patch; built-in kinds only. */
  readonly strategic: { readonly type: "strategic"; readonly patch: StrategicMergePatch<T> };
  /** JSON Patch. */
  readonly json: { readonly type: "json"; readonly operations: readonly JsonPatchOperation[] };
}

/** A patch of `T` of one of the types `P`. */
export type Patch<T, P extends PatchType = PatchType> = PatchesByType<T>[P];

/** Every level of `T`, each field optional: what a field manager wants to own. */
export type Applied<T> = T extends readonly (infer E)[]
  ? readonly Applied<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Applied<T[K]> | undefined }
    : T;

/** Metadata of an apply configuration: the name is required, managed fields are refused. */
export type ApplyMetadata = Applied<Omit<ObjectMeta, "name" | "managedFields">> & {
  /** Name of the object. */
  readonly name: string;
  /** Sent by nobody: the server refuses it. */
  readonly managedFields?: never;
};

type TypeOf<T, K extends "apiVersion" | "kind"> = T extends { [P in K]?: infer V } ? NonNullable<V> & string : string;

/** The three fields that every apply configuration has. */
export interface ApplyIdentity<T> {
  /** API version, in which the field manager's fields are written down. */
  readonly apiVersion: TypeOf<T, "apiVersion">;
  /** Kind. */
  readonly kind: TypeOf<T, "kind">;
  /** Name, and what of the metadata is to be owned. */
  readonly metadata: ApplyMetadata;
}

/**
 * What is sent to server-side apply: the fields the manager has an opinion on, and no others. The status is applied
 * through its subresource.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export type ApplyConfiguration<T> = unknown extends T
  ? ApplyIdentity<KubernetesObject> & Readonly<Record<string, unknown>>
  : ApplyIdentity<T> & Applied<Omit<T, "apiVersion" | "kind" | "metadata" | "status">>;

/** What is applied through the `status` subresource. */
export type StatusApplyConfiguration<T> = ApplyIdentity<T> & Applied<Pick<T, keyof T & "status">>;

/** What is applied through the subresource `Name`, whose type is `T`. */
export type SubresourceApplyConfiguration<T, Name> = Name extends "status"
  ? StatusApplyConfiguration<T>
  : ApplyConfiguration<T>;
