import { KubestreamError } from "../../errors/kubestream-error.js";

/** A controller beside the API failed at an object; it tries again. `cause` is what it came upon. */
export class ApiServerControllerError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "ApiServerControllerError";
  /** Name of the controller, as `namespace-controller`. */
  readonly controller: string;
  /** What it was working at: the key of an object, with its resource in front where the controller knows several. */
  readonly key: string;
  /** Milliseconds until it tries again. */
  readonly retryAfterMs: number;

  /** Creates the error of one failed key. */
  constructor(controller: string, key: string, retryAfterMs: number, cause: unknown) {
    super(`${controller}: ${key.replace("\n", " ")}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.controller = controller;
    this.key = key;
    this.retryAfterMs = retryAfterMs;
  }

  /** The class's own name, which survives minification. */
  static override get className(): string {
    return "ApiServerControllerError";
  }
}
