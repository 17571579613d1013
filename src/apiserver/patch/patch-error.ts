import { KubestreamError } from "../../errors/kubestream-error.js";
import type { Status } from "../../meta/status.js";

/** HTTP codes with which kube-apiserver refuses a patch. */
export type PatchErrorCode = 400 | 413 | 422 | 500;

const reasons: Record<PatchErrorCode, string | undefined> = {
  400: "BadRequest",
  413: "RequestEntityTooLarge",
  422: "Invalid",
  500: undefined,
};

/**
 * A patch that cannot be read or does not apply. `code` is what kube-apiserver answers; `patchErrorStatus` makes its Status.
 */
export class PatchError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "PatchError";
  /** HTTP code: 400 unreadable, 413 too large, 422 does not apply, 500 where the server passes on an internal error. */
  readonly code: PatchErrorCode;

  /** `message` says what is wrong, in the server's words. */
  constructor(code: PatchErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.code = code;
  }

  /** The class's own name, which survives minification. */
  static override get className(): string {
    return "PatchError";
  }
}

/** A test of a JSON patch that does not hold. */
export class FailedTestError extends PatchError {
  /** Told apart from other errors of patches. */
  static override get className(): string {
    return "FailedTestError";
  }
}

/** The Status that kube-apiserver answers for this error: a 422 keeps its cause to itself and has empty details. */
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
