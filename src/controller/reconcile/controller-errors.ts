import { KubestreamError } from "../../errors/kubestream-error.js";

/**
 * Error to throw from a reconcile if a retry won't help before something changes. It is counted and logged, and the
 * request isn't retried.
 *
 * @example
 * ```ts
 * import { createController, TerminalError } from "kubestream/controller";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const controller = createController({
 *   name: "settings",
 *   for: client.resource(ConfigMap),
 *   reconcile(_request, { object }) {
 *     if (object !== undefined && object.data?.["mode"] === undefined) throw new TerminalError("data.mode is required");
 *   },
 * });
 * controller.start();
 * ```
 */
export class TerminalError extends KubestreamError {
  /** Error name. */
  override readonly name = "TerminalError";

  /** Class name, which survives minification. */
  static override get className(): string {
    return "TerminalError";
  }
}

/** A controller's caches were not filled in time. `cause` is the last failure of one of the missing informers. */
export class CacheSyncError extends KubestreamError {
  /** Error name. */
  override readonly name = "CacheSyncError";
  /** Descriptions of the missing collections, such as `pods in "apps"`. */
  readonly missing: readonly string[];

  /** Creates the error for the `missing` collections. */
  constructor(message: string, missing: readonly string[], options: ErrorOptions = {}) {
    super(message, options);
    this.missing = missing;
  }

  /** Class name, which survives minification. */
  static override get className(): string {
    return "CacheSyncError";
  }
}

/** Leadership was lost: the lease wasn't renewed in time, or another candidate holds it. */
export class LeadershipLostError extends KubestreamError {
  /** Error name. */
  override readonly name = "LeadershipLostError";

  /** Class name, which survives minification. */
  static override get className(): string {
    return "LeadershipLostError";
  }
}
