import type { KubernetesObject } from "./object.js";

/** Annotation on the bookmark that marks the end of a streaming list's initial events. */
export const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/**
 * Object of a BOOKMARK event: it carries a version and no content.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#watch-bookmarks
 */
export interface Bookmark {
  /** API version of the watched kind. */
  apiVersion?: string | undefined;
  /** Watched kind. */
  kind?: string | undefined;
  /** Version up to which the watcher has seen all changes. */
  metadata: { resourceVersion: string; annotations?: Record<string, string> | undefined };
}

/**
 * One event of a watch. ERROR events are never yielded: they end the watch and are thrown as a `StatusError`.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: Bookmark };

/** One decoded but unchecked event, possibly an ERROR event. */
export interface RawWatchEvent {
  /** `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK`, `ERROR`, or a type that a newer server sends. */
  readonly type: string;
  /** Decoded object; a Status for ERROR. */
  readonly object: KubernetesObject;
}
