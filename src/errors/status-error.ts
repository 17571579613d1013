import type { Status, StatusDetails } from "../meta/status.js";
import { KubestreamError } from "./kubestream-error.js";

/** Options for `StatusError`. */
export interface StatusErrorOptions extends ErrorOptions {
  /** Description of the failed request: `list pods in "apps"`. */
  readonly action?: string | undefined;
  /** Delay in milliseconds that the server requested, from `Retry-After` or the Status. */
  readonly retryAfterMs?: number | undefined;
  /** UID of the FlowSchema that classified the request (API Priority and Fairness). */
  readonly flowSchemaUid?: string | undefined;
  /** UID of the PriorityLevelConfiguration that the request ran under. */
  readonly priorityLevelUid?: string | undefined;
}

/**
 * An error response of the API server. Test it with predicates such as `isNotFound` and `isConflict`.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 *
 * @example
 * ```ts
 * import { isInvalid, StatusError } from "kubestream";
 *
 * export function report(error: unknown): void {
 *   if (isInvalid(error)) for (const { field, message } of error.details?.causes ?? []) console.error(field, message);
 *   else if (error instanceof StatusError) console.error(error.code, error.reason, error.status.message);
 *   else throw error;
 * }
 * ```
 */
export class StatusError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "StatusError";
  /** Status as the server sent it, or one built from the HTTP response if the server sent none. */
  readonly status: Status;
  /** HTTP status code. */
  readonly code: number;
  /** Machine-readable reason, such as `NotFound`; `""` if the server sent none. */
  readonly reason: string;
  /** Details of the failure, if the server sent them. */
  readonly details: StatusDetails | undefined;
  /** Delay in milliseconds that the server requested before a retry; `undefined` if it requested none. */
  readonly retryAfterMs: number | undefined;
  /** UID of the FlowSchema that classified the request; `undefined` if the server didn't send it. */
  readonly flowSchemaUid: string | undefined;
  /** UID of the PriorityLevelConfiguration that the request ran under; `undefined` if the server didn't send it. */
  readonly priorityLevelUid: string | undefined;

  /** Creates an error from a server's Status. */
  constructor(status: Status, options: StatusErrorOptions = {}) {
    const code = status.code ?? 500;
    const text = [String(code), status.reason].filter(Boolean).join(" ");
    super(
      `${options.action === undefined ? "" : `${options.action}: `}${text}${status.message ? `: ${status.message}` : ""}`,
      options,
    );
    this.status = status;
    this.code = code;
    this.reason = status.reason ?? "";
    this.details = status.details;
    const seconds = status.details?.retryAfterSeconds;
    this.retryAfterMs = options.retryAfterMs ?? (seconds === undefined || seconds <= 0 ? undefined : seconds * 1000);
    this.flowSchemaUid = options.flowSchemaUid;
    this.priorityLevelUid = options.priorityLevelUid;
  }

  /** Name of the class, which survives minification. */
  static override get className(): string {
    return "StatusError";
  }
}
