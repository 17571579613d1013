import type { TableColumnDefinition } from "../../../meta/table.js";
import type { FieldError } from "../../errors/field-error.js";
import type { ApiObject } from "../../objects/api-object.js";
import type { KindRules } from "./kind-rules.js";
import type { StrategyContext } from "./strategy-context.js";

/** Columns and cells of the tables of a kind. */
export interface Printer {
  readonly columns: readonly TableColumnDefinition[];
  /** Compares two objects, for the order of the rows of a list. Default: the order of the list. */
  compare?(a: ApiObject, b: ApiObject): number;
  /** Returns the cells of an object, in the order of the columns. */
  cells(object: ApiObject, nowMs: number): unknown[];
  /** Returns row conditions, such as `Completed` for a finished pod. */
  conditions?(
    object: ApiObject,
  ): { type: string; status: string; reason?: string | undefined; message?: string | undefined }[] | undefined;
}

/**
 * Behavior of one version of a kind, built-in or custom; the rest of the registry is the same for all kinds. Hooks that
 * change objects work in place, on an object that belongs to the request.
 */
export interface Strategy extends KindRules<ApiObject> {
  /** Applies defaults, for writes and for objects that are read from the store. */
  defaults?(object: ApiObject, nowMs: number): void;
  /** Sets the fields that a read would set, right before an object is stored. */
  fillStored?(object: ApiObject): void;
  /** Prepares a new object for validation: drops fields that clients can't set, and sets others. */
  prepareForCreate?(object: ApiObject, context: StrategyContext): void;
  /** Prepares a changed object for validation. The registry has restored its status. */
  prepareForUpdate?(object: ApiObject, old: ApiObject, context: StrategyContext): void;
  /**
   * Restores what a write through `/status` must not change, after the registry has restored everything but the status.
   */
  prepareStatus?(object: ApiObject, old: ApiObject, nowMs: number): void;
  /** Validates a new object. */
  validate?(object: ApiObject, context: StrategyContext): FieldError[];
  /** Validates a changed object. */
  validateUpdate?(object: ApiObject, old: ApiObject, context: StrategyContext): FieldError[];
  /** Validates a write through `/status`. */
  validateStatusUpdate?(object: ApiObject, old: ApiObject, context: StrategyContext): FieldError[];
  /** Default: the columns Name and Created At. */
  readonly printer?: Printer | undefined;
}
