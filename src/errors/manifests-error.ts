import { KubestreamError } from "./kubestream-error.js";

/** What became of one object of several. */
export interface ManifestOutcome {
  /** API version of the object. */
  readonly apiVersion: string;
  /** Kind of the object. */
  readonly kind: string;
  /** Name of the object. */
  readonly name: string;
  /** Namespace of the object; absent for cluster-scoped ones. */
  readonly namespace?: string;
  /** What was done; `failed` has an `error`, `skipped` was not tried because something before it failed. */
  readonly outcome: "created" | "applied" | "deleted" | "deleting" | "absent" | "pruned" | "failed" | "skipped";
  /** The object as the server answered it. */
  readonly object?: object;
  /** Why it failed. */
  readonly error?: unknown;
}

/** Some objects of several could not be applied or deleted; the rest was. */
export class ManifestsError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "ManifestsError";
  /** What became of each object, in the order given. */
  readonly outcomes: readonly ManifestOutcome[];

  /** `verb` is what was attempted. */
  constructor(verb: string, outcomes: readonly ManifestOutcome[]) {
    const failed = outcomes.filter((each) => each.outcome === "failed");
    const first = failed[0]?.error;
    const text = first instanceof Error ? first.message : String(first);
    super(
      `${verb} ${outcomes.length} objects: ${failed.length} failed: ${text}${failed.length > 1 ? ` (and ${failed.length - 1} more)` : ""}`,
      { cause: first },
    );
    this.outcomes = outcomes;
  }

  /** The class's own name, which survives minification. */
  static override get className(): string {
    return "ManifestsError";
  }
}
