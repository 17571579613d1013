import { KubestreamError } from "../../errors/kubestream-error.js";

/**
 * Failure of a controller inside the API server, passed to `ApiServerOptions.onError`. The controller retries; `cause`
 * is the original error.
 */
export class ApiServerControllerError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "ApiServerControllerError";
  /** Name of the controller, such as `namespace-controller`. */
  readonly controller: string;
  /** Key of the object, with its resource in front if the controller handles several. */
  readonly key: string;
  /** Milliseconds until the next attempt. */
  readonly retryAfterMs: number;

  /** Creates the error for one failed key. */
  constructor(controller: string, key: string, retryAfterMs: number, cause: unknown) {
    super(`${controller}: ${key.replace("\n", " ")}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.controller = controller;
    this.key = key;
    this.retryAfterMs = retryAfterMs;
  }

  /** Class name that survives minification. */
  static override get className(): string {
    return "ApiServerControllerError";
  }
}
