import { KubestreamError } from "../../errors/kubestream-error.js";

/** A controller beside the API failed at an object; it tries again. `cause` is what it came upon. */
export class ApiServerLoopError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "ApiServerLoopError";
  /** Name of the controller, as `namespace-controller`. */
  readonly loop: string;
  /** What it was working at: the key of an object, with its resource in front where the controller knows several. */
  readonly key: string;
  /** Milliseconds until it tries again. */
  readonly retryAfterMs: number;

  /** Made by the loop that failed. */
  constructor(loop: string, key: string, retryAfterMs: number, cause: unknown) {
    super(`${loop}: ${key.replace("\n", " ")}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.loop = loop;
    this.key = key;
    this.retryAfterMs = retryAfterMs;
  }

  /** The class's own name, which survives minification. */
  static override get className(): string {
    return "ApiServerLoopError";
  }
}
