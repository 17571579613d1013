import { KubestreamError } from "../../errors/kubestream-error.js";

/** Thrown by a reconcile: trying again will not help before something changes. It is counted and logged, and not repeated. */
export class TerminalError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "TerminalError";

  /** The class's own name, which survives minification. */
  static override get className(): string {
    return "TerminalError";
  }
}

/** A controller's informers were not filled in time. `cause` is the last failure of the first of them. */
export class CacheSyncError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "CacheSyncError";
  /** The collections that are missing, as `pods in "apps"`. */
  readonly missing: readonly string[];

  /** `message` says what waited for how long, `missing` names the collections. */
  constructor(message: string, missing: readonly string[], options: ErrorOptions = {}) {
    super(message, options);
    this.missing = missing;
  }

  /** The class's own name, which survives minification. */
  static override get className(): string {
    return "CacheSyncError";
  }
}

/** Leadership ended while it was wanted: the lease was not renewed in time, or somebody else holds it. */
export class LeadershipLostError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "LeadershipLostError";

  /** The class's own name, which survives minification. */
  static override get className(): string {
    return "LeadershipLostError";
  }
}
