import type { FieldError } from "../../errors/field-error.js";
import type { ApiObject } from "../../objects/api-object.js";
import type { DeletionRules } from "./deletion-rules.js";
import type { KindPrinter } from "./kind-printer.js";
import type { MetadataRules } from "./metadata-rules.js";
import type { StorageRules } from "./storage-rules.js";
import type { StrategyContext } from "./strategy.js";
import type { StructHooks } from "./walk-structs.js";

/** Rules for writes that reach an object through one of its subresources. */
export interface SubresourceDefinition<T> {
  /** Restores everything that the subresource must not change, in place. */
  prepare?(object: T, old: T, nowMs: number): void;
  /** Whether a GET can return a Table. Default: true. */
  readonly tables?: false;
  /** Whether a write through it raises the generation. Default: false. */
  readonly raisesGeneration?: boolean;
  /** Returns the errors of the change. */
  validate?(object: T, old: T): FieldError[];
}

/** Changes that the server makes to new and changed objects before it validates them. All hooks work in place. */
export interface PrepareHooks<T> {
  create?(object: T, context: StrategyContext): void;
  update?(object: T, old: T, context: StrategyContext): void;
  /** Runs last, before the object is stored: fills in what a read would fill in. */
  stored?(object: T): void;
  /** Restores what a write through `/status` must not change, after the registry has restored everything but the status. */
  status?(object: T, old: T, nowMs: number): void;
}

/** Validation rules. Each returns all the errors it finds. */
export interface ValidationHooks<T> {
  create(object: T, context?: StrategyContext): FieldError[];
  /** Default: the rules of `create`. */
  update?(object: T, old: T): FieldError[];
  /** Rules for writes through `/status`. Default: none. */
  status?(object: T, old: T, context?: StrategyContext): FieldError[];
  /** Set when these rules check every enumerated field, so that the schema's enums are not checked again. */
  readonly checksEnums?: true;
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

/** Everything that the server knows of one built-in kind in addition to its schema. */
export interface KindDefinition<T = ApiObject> {
  /** `group/plural`; the core group is empty, as in `/pods`. */
  readonly resource: string;
  /** Whether PUT to a name that does not exist creates the object. Default: false. */
  readonly createOnUpdate?: true;
  /** Whether PUT must carry a resourceVersion. Default: false. */
  readonly requiresVersionOnUpdate?: true;
  /** Absent: the kind has no generation. */
  readonly generation?: GenerationRules;
  readonly metadata?: MetadataRules;
  readonly storage?: StorageRules;
  /** Deprecation warnings by version; an empty one revokes that of the group's whole version. */
  readonly deprecations?: Readonly<Record<string, string>>;
  /** Defaults by the OpenAPI name of the struct that they belong to. */
  readonly defaults?: StructHooks;
  readonly prepare?: PrepareHooks<T>;
  readonly validate?: ValidationHooks<T>;
  readonly deletion?: DeletionRules<T>;
  /** Returns the warnings of a create (`old` is undefined) or an update. */
  warnings?(object: T, old: T | undefined): string[];
  /** Table columns; a function when versions print differently. Default: Name and Created At. */
  readonly printer?: KindPrinter<T> | ((version: string | undefined) => KindPrinter);
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
  readonly subresources?: Readonly<Record<string, SubresourceDefinition<T>>>;
}

/** Checks a definition against the kind's own type and erases that type, so that all kinds fit one table. */
export function defineBuiltin<T>(definition: KindDefinition<T>): KindDefinition {
  return definition as unknown as KindDefinition;
}

/** Removes the status of a new object: a `prepare.create` hook. */
export function dropStatus(object: object): void {
  Reflect.deleteProperty(object, "status");
}
