import type { KubernetesObject } from "./object.js";

/** Annotation of the bookmark that ends the initial events of a streaming list. */
export const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/**
 * Object of a bookmark: it has a version and no content.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#watch-bookmarks
 */
export interface Bookmark {
  /** API version of the watched kind. */
  apiVersion?: string;
  /** The watched kind. */
  kind?: string;
  /** The version up to which the watcher has seen everything. */
  metadata: { resourceVersion: string; annotations?: Record<string, string> };
}

/**
 * One event of a watch. An ERROR event is never yielded: it ends the watch and is thrown as a `StatusError`.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: Bookmark };

/** One event as it travels: not yet looked at, an ERROR event among them. */
export interface RawWatchEvent {
  /** `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK`, `ERROR`, or something a newer server knows. */
  readonly type: string;
  /** The decoded object; a Status for ERROR. */
  readonly object: KubernetesObject;
}
