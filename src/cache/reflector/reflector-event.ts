import type { ListMeta } from "../../meta/list.js";
import type { ListOptions, WatchOptions } from "../../meta/options.js";
import type { WatchEvent } from "../../meta/watch-event.js";

/**
 * Events that a reflector sends to its store. Between `init` and `initDone` the store keeps its old contents visible.
 */
export type ReflectorEvent<T> =
  /** A list begins. Objects of an unfinished earlier list are discarded. */
  | { readonly type: "init" }
  /** Objects of the list, in any number of batches. An object may appear more than once. */
  | { readonly type: "initApply"; readonly objects: readonly T[] }
  /** An object of the list was deleted before the list was complete. */
  | { readonly type: "initDelete"; readonly object: T }
  /** The list is complete and replaces the contents of the store. */
  | { readonly type: "initDone"; readonly resourceVersion: string }
  /** An object was added or changed. */
  | { readonly type: "apply"; readonly object: T }
  /** An object was deleted; `object` is its final state. */
  | { readonly type: "delete"; readonly object: T }
  /** No changes up to this version. */
  | { readonly type: "bookmark"; readonly resourceVersion: string };

/** Inputs of a reflector: responses, timers and failures. */
export type ReflectorInput<T> =
  | { readonly type: "start" }
  | { readonly type: "slice"; readonly items: readonly T[]; readonly metadata?: ListMeta }
  /** The server accepted a watch: its response has begun. */
  | { readonly type: "opened" }
  | { readonly type: "event"; readonly event: WatchEvent<T> }
  /** Batch of objects from a streaming list. */
  | { readonly type: "initial"; readonly objects: readonly T[] }
  /** The current request ended normally. */
  | { readonly type: "ended" }
  /** The current request is replaced by the same one in another encoding. */
  | { readonly type: "reopen" }
  /** No data arrived until `deadlineAt`. */
  | { readonly type: "silent" }
  | { readonly type: "failed"; readonly error: unknown }
  /** The pause is over. */
  | { readonly type: "elapsed" };

/** Next request or pause of a reflector. The previous request is over. */
export type ReflectorAction =
  | { readonly type: "list"; readonly options: ListOptions }
  | { readonly type: "watch"; readonly options: WatchOptions }
  | { readonly type: "wait"; readonly delayMs: number };
