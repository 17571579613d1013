import { KubestreamError } from "./kubestream-error.js";

/** Place of an object in a text of manifests. */
export interface ManifestSource {
  /** Name of the text that was given to `parseManifests`, such as a file name. */
  readonly name?: string | undefined;
  /** Number of the document in the text, from 1. */
  readonly document: number;
  /** Line on which the document's content begins, from 1. */
  readonly line: number;
}

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
   * Outcome for the object:
   *
   * - `created`, `applied`: it was created or changed. `unchanged`: the apply made no difference.
   * - `deleted`, `pruned`: it is gone. `deleting`: finalizers or a grace period delay the deletion. `absent`: there was
   * nothing to delete.
   * - `failed`: see `error`.
   */
  readonly outcome: "created" | "applied" | "unchanged" | "deleted" | "deleting" | "absent" | "pruned" | "failed";
  /** Place of the object in its file, if it comes from `parseManifests`. */
  readonly source?: ManifestSource | undefined;
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
    const source = failed[0]?.source;
    const place = source === undefined ? "" : `${source.name ?? "the manifests"}: line ${source.line}: `;
    const text = place + (first instanceof Error ? first.message : String(first));
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
