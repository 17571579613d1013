/** Delete options in a request body, such as in an Eviction. */
export interface DeleteOptionsBody {
  /** `v1`. */
  apiVersion?: string | undefined;
  /** `DeleteOptions`. */
  kind?: string | undefined;
  /** `["All"]`: delete nothing. */
  dryRun?: string[] | undefined;
  /** Grace period in seconds. */
  gracePeriodSeconds?: number | undefined;
  /** True to delete an object that can't be read from storage. Unsafe; not for normal use. */
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
  /** Legacy form of `propagationPolicy`. */
  orphanDependents?: boolean | undefined;
  /** Conditions that the object must meet. */
  preconditions?: { uid?: string | undefined; resourceVersion?: string | undefined } | undefined;
  /** Handling of dependents: `Orphan`, `Background` or `Foreground`. */
  propagationPolicy?: string | undefined;
}
