import { KubestreamError } from "./kubestream-error.js";

/** Result for one object of an apply or delete. */
export interface ManifestOutcome {
  /** API version of the object. */
  readonly apiVersion: string;
  /** Kind of the object. */
  readonly kind: string;
  /** Name of the object. */
  readonly name: string;
  /** Namespace of the object; absent for cluster-scoped objects. */
  readonly namespace?: string | undefined;
  /**
   * Outcome for the object. `failed` comes with an `error`; `deleting` means that finalizers or a grace period delay
   * the deletion; `absent` means that there was nothing to delete. `skipped` is reserved.
   */
  readonly outcome: "created" | "applied" | "deleted" | "deleting" | "absent" | "pruned" | "failed" | "skipped";
  /** Object as the server returned it. */
  readonly object?: object | undefined;
  /** Error of a failed object. */
  readonly error?: unknown;
}

/** Some of several objects couldn't be applied or deleted. The others were: see `outcomes`. */
export class ManifestsError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "ManifestsError";
  /** Result for each object, in the order given. */
  readonly outcomes: readonly ManifestOutcome[];

  /** `verb` is the attempted operation. */
  constructor(verb: string, outcomes: readonly ManifestOutcome[]) {
    const failed = outcomes.filter((each) => each.outcome === "failed");
    const first = failed[0]?.error;
    const text = first instanceof Error ? first.message : String(first);
    super(
      `${verb} failed for ${failed.length} of ${outcomes.length} objects: ${text}${failed.length > 1 ? ` (and ${failed.length - 1} more)` : ""}`,
      { cause: first },
    );
    this.outcomes = outcomes;
  }

  /** Name of the class, which survives minification. */
  static override get className(): string {
    return "ManifestsError";
  }
}
