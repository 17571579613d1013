import { KubestreamError } from "../../errors/kubestream-error.js";
import type { Status } from "../../meta/status.js";

/** HTTP codes with which kube-apiserver rejects a patch. */
export type PatchErrorCode = 400 | 413 | 422 | 500;

const reasons: Record<PatchErrorCode, string | undefined> = {
  400: "BadRequest",
  413: "RequestEntityTooLarge",
  422: "Invalid",
  500: undefined,
};

/** A patch that is invalid or doesn't apply. `patchErrorStatus` creates the Status for it. */
export class PatchError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "PatchError";
  /**
   * HTTP code: 400 malformed, 413 too large, 422 doesn't apply, 500 for errors that kube-apiserver reports as internal.
   */
  readonly code: PatchErrorCode;

  constructor(code: PatchErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.code = code;
  }

  /** Class name that survives minification. */
  static override get className(): string {
    return "PatchError";
  }
}

/** A failed `test` operation of a JSON patch. */
export class FailedTestError extends PatchError {
  static override get className(): string {
    return "FailedTestError";
  }
}

/** Returns kube-apiserver's Status for this error. A 422 has a generic message and empty details. */
export function patchErrorStatus(error: PatchError): Status {
  const hidden = error.code === 422;
  const reason = reasons[error.code];
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: hidden
      ? "the server rejected our request due to an error in our request"
      : `${error.code === 413 ? "Request entity too large: " : ""}${error.message}`,
    ...(reason === undefined ? {} : { reason }),
    ...(hidden ? { details: {} } : {}),
    code: error.code,
  };
}
