/**
 * Metadata of a list.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
 */
export interface ListMeta {
  /** Version of the collection that the list shows. Start a watch from it. */
  resourceVersion?: string | undefined;
  /** Token for the next page; absent or empty on the last page. */
  continue?: string | undefined;
  /** Number of objects after this page. Sent only without selectors, and absent on the last page. */
  remainingItemCount?: number | undefined;
  /** Legacy field that servers no longer set. */
  selfLink?: string | undefined;
  /** Shard covered by a sharded list, as the server understood it. */
  shardInfo?: Record<string, unknown> | undefined;
}

/** Response to a list request: a whole collection or one page of it. */
export interface List<T> {
  /** API version of the list. */
  apiVersion?: string | undefined;
  /** Kind of the list, such as `PodList`. */
  kind?: string | undefined;
  /** Version of the collection and the token for the next page. */
  metadata: ListMeta;
  /** Objects. Items of typed lists have no `apiVersion` and `kind`. */
  items: T[];
}
