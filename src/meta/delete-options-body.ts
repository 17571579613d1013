/** Delete options in a request body, such as in an Eviction. */
export interface DeleteOptionsBody {
  /** `v1`. */
  apiVersion?: string;
  /** `DeleteOptions`. */
  kind?: string;
  /** `["All"]`: delete nothing. */
  dryRun?: string[];
  /** Grace period in seconds. */
  gracePeriodSeconds?: number;
  /** True to delete an object that can't be read from storage. Unsafe; not for normal use. */
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  /** Legacy form of `propagationPolicy`. */
  orphanDependents?: boolean;
  /** Conditions that the object must meet. */
  preconditions?: { uid?: string; resourceVersion?: string };
  /** Handling of dependents: `Orphan`, `Background` or `Foreground`. */
  propagationPolicy?: string;
}
