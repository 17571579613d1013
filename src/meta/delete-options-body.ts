/** Delete options as they stand in a request's body, as in an Eviction. */
export interface DeleteOptionsBody {
  /** `v1`. */
  apiVersion?: string;
  /** `DeleteOptions`. */
  kind?: string;
  /** `All`: delete nothing. */
  dryRun?: string[];
  /** Seconds the object is given to end. */
  gracePeriodSeconds?: number;
  /** Deletes what can't be read; not for normal use. */
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  /** Legacy form of `propagationPolicy`. */
  orphanDependents?: boolean;
  /** What must hold of the object. */
  preconditions?: { uid?: string; resourceVersion?: string };
  /** What becomes of dependents: `Orphan`, `Background`, `Foreground`. */
  propagationPolicy?: string;
}
