import { KubestreamError } from "./kubestream-error.js";

/** Readiness of one of several objects. */
export interface ManifestReadiness {
  /** API version of the object. */
  readonly apiVersion: string;
  /** Kind of the object. */
  readonly kind: string;
  /** Name of the object. */
  readonly name: string;
  /** Namespace of the object; absent for cluster-scoped objects. */
  readonly namespace?: string | undefined;
  /** Progress of the object: `current` if it's ready. */
  readonly status: "current" | "inProgress" | "failed" | "terminating";
  /** Machine-readable reason, such as `LessAvailable` or `NotFound`; empty for an object that is ready. */
  readonly reason: string;
  /** Description for people. */
  readonly message: string;
}

/** Some of several objects didn't become ready. */
export class NotReadyError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "NotReadyError";
  /** Readiness of each object, in the order given. */
  readonly objects: readonly ManifestReadiness[];

  constructor(objects: readonly ManifestReadiness[]) {
    const waiting = objects.filter(({ status }) => status !== "current");
    const shown = waiting
      .slice(0, 5)
      .map(({ kind, name, reason, message }) => `${kind}/${name}: ${reason}: ${message}`);
    const more = waiting.length > 5 ? `; and ${waiting.length - 5} more` : "";
    super(`${waiting.length} of ${objects.length} objects are not ready: ${shown.join("; ")}${more}`);
    this.objects = objects;
  }

  /** Name of the class, which survives minification. */
  static override get className(): string {
    return "NotReadyError";
  }
}
