import type { ListMeta } from "../../meta/list.js";
import type { ListOptions, WatchOptions } from "../../meta/options.js";
import type { WatchEvent } from "../../meta/watch-event.js";

/** What a reflector tells the store it keeps. Between `init` and `initDone` the store goes on showing what it had. */
export type ReflectorEvent<T> =
  /** A list begins; what an unfinished one had collected is dropped. */
  | { readonly type: "init" }
  /** Objects of the list, in any number of pieces; an object may come again. */
  | { readonly type: "initApply"; readonly objects: readonly T[] }
  /** An object of the list that went before the list was whole. */
  | { readonly type: "initDelete"; readonly object: T }
  /** The list is whole: it replaces what the store had. */
  | { readonly type: "initDone"; readonly resourceVersion: string }
  /** An object was added or changed. */
  | { readonly type: "apply"; readonly object: T }
  /** An object was deleted; this was its final state. */
  | { readonly type: "delete"; readonly object: T }
  /** Nothing changed up to this version. */
  | { readonly type: "bookmark"; readonly resourceVersion: string };

/** What happens to a reflector. */
export type ReflectorInput<T> =
  | { readonly type: "start" }
  | { readonly type: "slice"; readonly items: readonly T[]; readonly metadata?: ListMeta }
  | { readonly type: "event"; readonly event: WatchEvent<T> }
  /** Objects that a stream of initial events said to be there, as many as arrived together. */
  | { readonly type: "initial"; readonly objects: readonly T[] }
  /** The request that runs came to a clean end. */
  | { readonly type: "ended" }
  /** Nothing came until `deadlineAt`. */
  | { readonly type: "silent" }
  | { readonly type: "failed"; readonly error: unknown }
  /** The wait is over. */
  | { readonly type: "elapsed" };

/** What a reflector does next; whatever request ran before is over. */
export type ReflectorAction =
  | { readonly type: "list"; readonly options: ListOptions }
  | { readonly type: "watch"; readonly options: WatchOptions }
  | { readonly type: "wait"; readonly delayMs: number };
