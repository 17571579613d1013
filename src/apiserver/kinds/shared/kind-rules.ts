import type { FieldError } from "../../errors/field-error.js";
import type { DeletionRules } from "./deletion-rules.js";
import type { MetadataRules } from "./metadata-rules.js";
import type { StorageRules } from "./storage-rules.js";
import type { StrategyContext } from "./strategy-context.js";

/** Rules for writes that reach an object through one of its subresources. */
export interface SubresourceRules<T> {
  /** Restores everything that the subresource must not change, in place. */
  prepare?(object: T, old: T, nowMs: number): void;
  /** Whether a GET can return a Table. Default: true. */
  readonly tables?: false;
  /** Whether a write through it raises the generation. Default: false. */
  readonly raisesGeneration?: boolean;
  /** Returns the errors of the change. */
  validate?(object: T, old: T, context: StrategyContext): FieldError[];
}

/** The way in which a kind counts `metadata.generation`. */
export interface GenerationRules {
  /** `fromOne` starts at 1, `late` has none until the first change, `fixed` stays at 1. */
  readonly counts: "fromOne" | "late" | "fixed";
  /** Part of the metadata whose changes count too. Default: none. */
  readonly metadata?: "annotations" | "labels";
  /** Whether lists and maps that are given as empty count as changes. Default: false. */
  readonly emptyValues?: true;
  /** Whether changes count that the kind's own preparation takes back. Default: false. */
  readonly beforePreparation?: true;
}

/** Rules that the registry applies to a kind as its definition states them. */
export interface KindRules<T> {
  /** Whether PUT to a name that does not exist creates the object. Default: false. */
  readonly createOnUpdate?: true;
  /** Whether PUT must carry a resourceVersion. Default: false. */
  readonly requiresVersionOnUpdate?: true;
  /** Absent: the kind has no generation. */
  readonly generation?: GenerationRules;
  readonly metadata?: MetadataRules;
  readonly storage?: StorageRules;
  readonly deletion?: DeletionRules<T>;
  /** Returns the warnings of a create (`old` is undefined) or an update. */
  warnings?(object: T, old: T | undefined): string[];
  /** Returns the fields that field selectors may name, apart from metadata.name and metadata.namespace. */
  selectableFields?(object: T): Record<string, string>;
  /** Whether field selectors may name `metadata.namespace`. Default: true. */
  readonly selectsNamespace?: false;
  /**
   * Fields that server-side apply does not track, by subresource; `""` is the object itself. Default: `status` if there
   * is a status subresource; for `/status`, `spec` and all metadata if the status keeps them.
   */
  readonly untrackedFields?: Readonly<Record<string, readonly string[]>>;
  /** Whether the response to a `/status` request can be a Table. Default: true. */
  readonly statusTables?: false;
  /** Fills in what the server's own form of an empty object has, in place; bookmarks carry such objects. */
  fillEmpty?(object: T): void;
  /** Write rules by subresource, other than `status`. */
  readonly subresources?: Readonly<Record<string, SubresourceRules<T>>>;
}
