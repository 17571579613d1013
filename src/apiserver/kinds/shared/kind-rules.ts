import type { FieldError } from "../../errors/field-error.js";
import type { DeletionRules } from "./deletion-rules.js";
import type { MetadataRules } from "./metadata-rules.js";
import type { StrategyContext } from "./strategy-context.js";

/** Rules for writes that reach an object through one of its subresources. */
export interface SubresourceRules<T> {
  /** Restores everything that the subresource must not change, in place. */
  prepare?(object: T, old: T, nowMs: number): void;
  /** True if a GET can return a Table. Default: true. */
  readonly tables?: false | undefined;
  /** True if a write through it increases the generation. Default: false. */
  readonly raisesGeneration?: boolean | undefined;
  validate?(object: T, old: T, context: StrategyContext): FieldError[];
}

/** Counting rules for `metadata.generation`. */
export interface GenerationRules {
  /** `fromOne` starts at 1, `late` has none until the first change, `fixed` stays at 1. */
  readonly counts: "fromOne" | "late" | "fixed";
  /** Part of the metadata whose changes count too. Default: none. */
  readonly metadata?: "annotations" | "labels" | undefined;
  /** True if explicitly empty lists and maps count as changes. Default: false. */
  readonly emptyValues?: true | undefined;
  /** True if changes count that the kind's own preparation reverts. Default: false. */
  readonly beforePreparation?: true | undefined;
}

/** Rules of a kind that the registry applies. */
export interface KindRules<T> {
  /** True if PUT to a name that doesn't exist creates the object. Default: false. */
  readonly createOnUpdate?: true | undefined;
  /** True if PUT requires a resourceVersion. Default: false. */
  readonly requiresVersionOnUpdate?: true | undefined;
  /** True if a new object keeps the status that the client sends. Default: false. */
  readonly keepsNewStatus?: true | undefined;
  /** Missing: the kind has no generation. */
  readonly generation?: GenerationRules | undefined;
  readonly metadata?: MetadataRules | undefined;
  readonly deletion?: DeletionRules<T> | undefined;
  /** Runs the asynchronous checks of a new object, such as that of a signature. */
  verify?(object: T): Promise<FieldError[]>;
  /** Returns the warnings of a create (`old` is `undefined`) or an update. */
  warnings?(object: T, old: T | undefined): string[];
  /** Returns the fields that field selectors support, apart from metadata.name and metadata.namespace. */
  selectableFields?(object: T): Record<string, string>;
  /**
   * Selectable field by which the watch cache of a kube-apiserver indexes the objects. The first page of a list for one
   * of its values isn't continued if only objects with other values follow.
   */
  readonly indexedField?: string | undefined;
  /** True if field selectors support `metadata.namespace`. Default: true. */
  readonly selectsNamespace?: false | undefined;
  /**
   * Fields that server-side apply doesn't track, by subresource; `""` is the object itself. Default: `status` if there
   * is a status subresource; for `/status`, `spec` and all metadata if the status keeps them.
   */
  readonly untrackedFields?: Readonly<Record<string, readonly string[]>> | undefined;
  /** True if the response to a `/status` request can be a Table. Default: true. */
  readonly statusTables?: false | undefined;
  /** Sets the fields that an empty object has in the internal form, in place; bookmarks carry such objects. */
  fillEmpty?(object: T): void;
  /** Write rules by subresource, other than `status`. */
  readonly subresources?: Readonly<Record<string, SubresourceRules<T>>> | undefined;
}
