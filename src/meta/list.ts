/**
 * Metadata of a list.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
 */
export interface ListMeta {
  /** Version of the collection the list shows; start a watch from it. */
  resourceVersion?: string;
  /** Token for the next page; absent or empty on the last one. */
  continue?: string;
  /** Number of objects after this page; only without selectors, and absent on the last page. */
  remainingItemCount?: number;
  /** Legacy field, no longer filled in by servers. */
  selfLink?: string;
  /** Names the shard a sharded list covers, as the server understood it. */
  shardInfo?: Record<string, unknown>;
}

/** One answer to a list request: a whole collection or a page of it. */
export interface List<T> {
  /** API version of the list. */
  apiVersion?: string;
  /** Kind of the list, as `PodList`. */
  kind?: string;
  /** Version of the collection and how to go on. */
  metadata: ListMeta;
  /** The objects; those of typed lists carry no `apiVersion` and `kind`. */
  items: T[];
}
