import type { DeepReadonly } from "../../meta/object.js";

/**
 * Why a change is told: `live` from a watch, `list` from the first list or as the present told to a late subscriber,
 * `relist` found by listing again, `resync` repeated on request without any change.
 */
export type ChangeCause = "live" | "list" | "relist" | "resync";

/** An object appeared. */
export interface Added<T> {
  /** Tells the changes apart. */
  readonly type: "added";
  /** Key of the object, `namespace/name`. */
  readonly key: string;
  /** The object. */
  readonly object: DeepReadonly<T>;
  /** Why this is told. */
  readonly cause: ChangeCause;
  /** Whether the object belongs to the present that a subscriber begins with. */
  readonly initial: boolean;
}

/** An object changed. */
export interface Updated<T> {
  /** Tells the changes apart. */
  readonly type: "updated";
  /** Key of the object, `namespace/name`. */
  readonly key: string;
  /** The object as it is now. */
  readonly object: DeepReadonly<T>;
  /** The object as it was; the same one for a resync. */
  readonly old: DeepReadonly<T>;
  /** Why this is told. */
  readonly cause: ChangeCause;
  /** Never: what a subscriber begins with is told as added. */
  readonly initial: false;
}

/** An object went. */
export interface Deleted<T> {
  /** Tells the changes apart. */
  readonly type: "deleted";
  /** Key of the object, `namespace/name`. */
  readonly key: string;
  /** The object: its final state, or the last one known. */
  readonly object: DeepReadonly<T>;
  /** True when the end itself was not seen, only that the object is gone: there may have been later states. */
  readonly finalStateUnknown: boolean;
  /** Why this is told. */
  readonly cause: ChangeCause;
  /** Never. */
  readonly initial: false;
}

/** What happened to one object of a store. */
export type Change<T> = Added<T> | Updated<T> | Deleted<T>;

/** Called with each change, in order. It must not block; what it throws is counted and reported, and stops nobody. */
export type ChangeHandler<T> = (change: Change<T>) => void;
