/** Propagation policy of a deletion; `undefined` when the request names none. */
export type Propagation = "Orphan" | "Background" | "Foreground" | undefined;

/** Rules for deletions. */
export interface DeletionRules<T> {
  /** Returns the grace period in seconds, given the one that the request asks for. Absent: the object goes at once. */
  gracePeriodSeconds?(object: T, requested: number | undefined): number;
  /** Marks an object for deletion in place, for kinds that decide this themselves. */
  begin?(object: T, nowMs: number, propagation: Propagation): "proceed" | "store" | "unchanged";
  /** Returns false while something other than `metadata.finalizers` holds a terminating object. */
  finalized?(object: T): boolean;
  /** Whether the garbage collector's finalizers apply. Default: true. */
  readonly garbageCollected?: false;
  /** Bucket of the kind whose object of the same name is deleted along with this one. */
  readonly deletesAlong?: string;
  /** Whether a deletion without a propagation policy orphans the dependents. Default: false. */
  readonly orphansByDefault?: true;
  /** Whether a finished deletion returns the object instead of a Status. Default: false. */
  readonly returnsObject?: true;
  /** Returns the reason why the object of this name cannot be deleted, if there is one. */
  refusal?(name: string): string | undefined;
  /** Whether the old option `orphanDependents: false` waits for the dependents. Default: false. */
  readonly waitsForDependents?: true;
  /** Returns a warning about a deletion, if one is due. */
  warning?(propagation: Propagation): string | undefined;
}
