import type { DeepReadonly } from "../../meta/object.js";

/**
 * Origin of a change:
 *
 * - `live`: an event of a watch.
 * - `list`: the first list, or the replay of current objects to a new handler.
 * - `relist`: a difference found by listing again.
 * - `resync`: a periodic repetition without any change.
 */
export type ChangeCause = "live" | "list" | "relist" | "resync";

/** An object was added. */
export interface Added<T> {
  /** Discriminates the union. */
  readonly type: "added";
  /** Key of the object, `namespace/name`. */
  readonly key: string;
  /** The object. */
  readonly object: DeepReadonly<T>;
  /** Origin of the change. */
  readonly cause: ChangeCause;
  /** True if the object is part of the initial objects that a handler receives. */
  readonly initial: boolean;
}

/** An object was modified. */
export interface Updated<T> {
  /** Discriminates the union. */
  readonly type: "updated";
  /** Key of the object, `namespace/name`. */
  readonly key: string;
  /** Current state of the object. */
  readonly object: DeepReadonly<T>;
  /** Previous state of the object; the same instance for a resync. */
  readonly old: DeepReadonly<T>;
  /** Origin of the change. */
  readonly cause: ChangeCause;
  /** Always false: initial objects arrive as `added`. */
  readonly initial: false;
}

/** An object was deleted. */
export interface Deleted<T> {
  /** Discriminates the union. */
  readonly type: "deleted";
  /** Key of the object, `namespace/name`. */
  readonly key: string;
  /** Final state of the object, or the last known one. */
  readonly object: DeepReadonly<T>;
  /** True if the deletion itself was missed, so that `object` may not be the final state. */
  readonly finalStateUnknown: boolean;
  /** Origin of the change. */
  readonly cause: ChangeCause;
  /** Always false. */
  readonly initial: false;
}

/** A change to one object of a store. */
export type Change<T> = Added<T> | Updated<T> | Deleted<T>;

/**
 * Handler that receives each change in order. It must not block. Errors that it throws are counted and reported to
 * `onError`; they don't affect other handlers.
 */
export type ChangeHandler<T> = (change: Change<T>) => void;
