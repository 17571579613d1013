import type { TableColumnDefinition } from "../../../meta/table.js";
import type { FieldError } from "../../errors/field-error.js";
import type { UserInfo } from "../../http/user-info.js";
import type { ApiObject } from "../../objects/api-object.js";
import type { DeletionRules } from "./deletion-rules.js";
import type { MetadataRules } from "./metadata-rules.js";
import type { StorageRules } from "./storage-rules.js";

/** Write rules of one subresource. */
export interface SubresourceStrategy {
  /** Restores everything that the subresource must not change, in place. */
  prepare?(object: ApiObject, old: ApiObject, nowMs: number): void;
  /** Whether a GET can return a Table. Default: true. */
  readonly tables?: false;
  /** Whether a write through it raises the generation. Default: false. */
  readonly raisesGeneration?: boolean;
  /** Returns the errors of the change. */
  validate?(object: ApiObject, old: ApiObject, context: StrategyContext): FieldError[];
}

/** What a strategy may know of the request. */
export interface StrategyContext {
  /** Milliseconds since the epoch, from the server's clock. */
  readonly nowMs: number;
  /** Who asks. */
  readonly user?: UserInfo;
  /** The request's verb. */
  readonly verb?: string;
  /** Why the user may not do something else with the request's resource; `undefined` where that is allowed. Without a namespace it is the request's. */
  denied?(asked: {
    readonly verb: string;
    readonly subresource: string;
    readonly namespace?: string;
    readonly name: string;
  }): string | undefined;
  /** The subresource that the request is for. */
  readonly subresource?: string;
  /** Gives a Service its address and its ports on nodes. Throws 422 for what cannot be had. */
  allocate?(service: ApiObject, old: ApiObject | undefined): void;
  /** A new UID. */
  uuid?(): string;
  /** Labels of a namespace; `undefined` where there is none of that name. */
  namespaceLabels?(name: string): Readonly<Record<string, string>> | undefined;
  /** Adds a `Warning` header to the response. */
  warn(text: string): void;
}

/** How a kind is printed as a Table. */
export interface Printer {
  readonly columns: readonly TableColumnDefinition[];
  /** Cells of one object, in the columns' order. */
  cells(object: ApiObject, nowMs: number): unknown[];
  /** Row conditions, as `Completed` for a finished pod. */
  conditions?(object: ApiObject): { type: string; status: string; reason?: string; message?: string }[] | undefined;
}

/**
 * What is special about one kind: the rest of the registry is the same for all. All hooks work in place on an object
 * that belongs to the request. Hooks that are absent do nothing.
 */
export interface Strategy {
  /** Fills in defaults, on create, update and decoding of what was stored. */
  defaults?(object: ApiObject, nowMs: number): void;
  /** Fills in what a write has emptied and a read fills in. Works in place. */
  fillStored?(object: ApiObject): void;
  /** Clears what clients may not set, sets generation and the like, before validation of a create. */
  prepareForCreate?(object: ApiObject, context: StrategyContext): void;
  /** The same for an update of the object itself: restores status, counts the generation. */
  prepareForUpdate?(object: ApiObject, old: ApiObject, context: StrategyContext): void;
  /** Errors of a new object. */
  validate?(object: ApiObject, context: StrategyContext): FieldError[];
  /** Errors of a changed object, immutable fields among them. */
  validateUpdate?(object: ApiObject, old: ApiObject, context: StrategyContext): FieldError[];
  /** Restores what a write through `/status` must not change, after the registry has restored everything but the status. */
  prepareStatus?(object: ApiObject, old: ApiObject, nowMs: number): void;
  /** Rules for names and metadata. */
  readonly metadata?: MetadataRules;
  readonly storage?: StorageRules;
  readonly deletion?: DeletionRules<ApiObject>;
  /** Whether field selectors may name `metadata.namespace`. Default: true. */
  readonly selectsNamespace?: false;
  /** Fields that server-side apply does not track, by subresource; see `KindDefinition`. */
  readonly untrackedFields?: Readonly<Record<string, readonly string[]>>;
  /** Whether the response to a `/status` request can be a Table. Default: true. */
  readonly statusTables?: false;
  /** Fills in what the server's own form of an empty object has, in place. */
  fillEmpty?(object: ApiObject): void;
  /** Errors of a change through the status subresource. */
  validateStatusUpdate?(object: ApiObject, old: ApiObject, context: StrategyContext): FieldError[];
  /** Warnings on a create or update, as for deprecated fields. */
  warnings?(object: ApiObject, old: ApiObject | undefined): string[];
  /** Whether PUT to a name that does not exist creates it. Default false. */
  readonly allowCreateOnUpdate?: boolean;
  /** Whether PUT without a resourceVersion overwrites. Default true; false answers 422. */
  readonly allowUnconditionalUpdate?: boolean;
  /** Whether the kind counts generations: `true` begins with 1, `late` with none until the first change, `fixed` stays at 1. Default false. */
  readonly generations?: boolean | "late" | "fixed";
  /** Whether lists and maps that were given as empty count as changes too: what is stored has none. Default false. */
  readonly countedEmpties?: boolean;
  /** Whether changes count that the kind's own preparation takes back. Default false. */
  readonly countedAsGiven?: boolean;
  /** What of the metadata counts as a change of the desired state (of Deployments the annotations). Default: nothing. */
  readonly countedMetadata?: "annotations" | "labels";
  /** Values of the fields that field selectors may name, besides metadata.name and metadata.namespace. */
  selectableFields?(object: ApiObject): Record<string, string>;
  /** Table columns; the default is Name and Created At. */
  readonly printer?: Printer;
  /** What kinds with graceful deletion do: seconds to wait, from the object and what the request asked for. Absent: gone at once. */
  gracePeriodSeconds?(object: ApiObject, asked: number | undefined): number;
  /**
   * Kinds that decide their deletion themselves, as Namespace: marks the object in place. `store` writes the marked object,
   * `unchanged` leaves the stored one, `proceed` deletes as all kinds do.
   */
  beginDelete?(
    object: ApiObject,
    nowMs: number,
    propagation: "Orphan" | "Background" | "Foreground" | undefined,
  ): "proceed" | "store" | "unchanged";
  /** Whether a terminating object without finalizers in its metadata may go; `false` holds it, as a namespace's `spec.finalizers` do. */
  finalized?(object: ApiObject): boolean;
  /** Whether the garbage collector's finalizers make sense for the kind. Default true. */
  readonly garbageCollected?: boolean;
  /** Storage of the kind whose object of the same name goes with each object of this one, if nothing holds it. */
  readonly deletedAlong?: string;
  /** Write rules by subresource, other than `status`. */
  readonly subresources?: Readonly<Record<string, SubresourceStrategy>>;
  /** Whether a deletion that names no propagation policy leaves the dependents behind. Default false. */
  readonly orphansByDefault?: boolean;
}
