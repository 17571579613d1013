/** Propagation policy of a deletion; `undefined` if the request sets none. */
export type Propagation = "Orphan" | "Background" | "Foreground" | undefined;

/** Rules for deletions. */
export interface DeletionRules<T> {
  /** Returns the grace period in seconds, given the requested one. Missing: the object is deleted immediately. */
  gracePeriodSeconds?(object: T, requested: number | undefined): number;
  /** Marks an object for deletion in place, for kinds with their own procedure. */
  begin?(object: T, nowMs: number, propagation: Propagation): "proceed" | "store" | "unchanged";
  /** Returns false while something other than `metadata.finalizers` holds a terminating object. */
  finalized?(object: T): boolean;
  /** True if the garbage collector's finalizers apply. Default: true. */
  readonly garbageCollected?: false | undefined;
  /** Bucket of the kind whose object of the same name is deleted along with this one. */
  readonly deletesAlong?: string | undefined;
  /** True if a deletion without a propagation policy orphans the dependents. Default: false. */
  readonly orphansByDefault?: true | undefined;
  /** True if a finished deletion returns the object instead of a Status. Default: false. */
  readonly returnsObject?: true | undefined;
  /** Returns the reason why the object of this name can't be deleted, if there is one. */
  refusal?(name: string): string | undefined;
  /** True if the deprecated option `orphanDependents: false` waits for the dependents. Default: false. */
  readonly waitsForDependents?: true | undefined;
  /** Returns a warning about the deletion, if there is one. */
  warning?(propagation: Propagation): string | undefined;
}
