import type { FieldError } from "../../errors/field-error.js";
import type { ApiObject } from "../../objects/api-object.js";
import type { KindPrinter } from "./kind-printer.js";
import type { KindRules } from "./kind-rules.js";
import type { StorageRules } from "./storage-rules.js";
import type { StrategyContext } from "./strategy-context.js";
import type { StructHooks } from "./walk-structs.js";

/** Changes that the server makes to new and changed objects before validation. All hooks work in place. */
export interface PrepareHooks<T> {
  create?(object: T, context: StrategyContext): void;
  update?(object: T, old: T, context: StrategyContext): void;
  /** Runs last, before the object is stored: sets the fields that a read would set. */
  stored?(object: T): void;
  /**
   * Restores what a write through `/status` must not change, after the registry has restored everything but the status.
   */
  status?(object: T, old: T, nowMs: number): void;
}

/** Validation rules. Each returns all the errors it finds. */
export interface ValidationHooks<T> {
  create(object: T, context?: StrategyContext): FieldError[];
  /** Default: the rules of `create`. */
  update?(object: T, old: T): FieldError[];
  /** Rules for writes through `/status`. Default: none. */
  status?(object: T, old: T, context?: StrategyContext): FieldError[];
  /** Set if these rules check every enum field, so that the schema's enums aren't checked again. */
  readonly checksEnums?: true | undefined;
}

/** Rules that the server needs to serve a kind before any request for it. */
export interface ServingRules {
  readonly storage?: StorageRules | undefined;
  /** Deprecation warnings by version; an empty one overrides that of the group version. */
  readonly deprecations?: Readonly<Record<string, string>> | undefined;
}

/**
 * Everything that the server knows about a built-in kind in addition to its schema. Kinds that are loaded later have
 * their serving rules in a table.
 */
export interface KindDefinition<T = ApiObject> extends KindRules<T>, ServingRules {
  /** `group/plural`; the core group is empty, as in `/pods`. */
  readonly resource: string;
  /** Defaults by the OpenAPI name of their struct. */
  readonly defaults?: StructHooks | undefined;
  readonly prepare?: PrepareHooks<T> | undefined;
  readonly validate?: ValidationHooks<T> | undefined;
  /** Table columns; a function if versions print differently. Default: Name and Created At. */
  readonly printer?: KindPrinter<T> | ((version: string | undefined) => KindPrinter) | undefined;
}

/** Type-checks a definition against the kind's type and erases that type, so that all kinds fit one table. */
export function defineBuiltin<T>(definition: KindDefinition<T>): KindDefinition {
  return definition as unknown as KindDefinition;
}

/** Removes the status of a new object: a `prepare.create` hook. */
export function dropStatus(object: object): void {
  Reflect.deleteProperty(object, "status");
}
