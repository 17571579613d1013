import { KubestreamError } from "./kubestream-error.js";

/** The cluster or the manifests have changed since a plan was made, so nothing was applied. Plan again. */
export class StalePlanError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "StalePlanError";
  /** Objects for which an apply would now differ from the plan, such as `Deployment web/shop`. */
  readonly objects: readonly string[];

  constructor(objects: readonly string[]) {
    const more = objects.length > 5 ? ` and ${objects.length - 5} more` : "";
    super(`the plan is out of date for ${objects.slice(0, 5).join(", ")}${more}: plan again`);
    this.objects = objects;
  }

  /** Name of the class, which survives minification. */
  static override get className(): string {
    return "StalePlanError";
  }
}
