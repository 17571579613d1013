import type { Status, StatusDetails } from "../meta/status.js";
import { KubestreamError } from "./kubestream-error.js";

/** What a `StatusError` knows besides its Status. */
export interface StatusErrorOptions extends ErrorOptions {
  /** What was attempted, on what: `list pods in "apps"`. */
  readonly action?: string | undefined;
  /** Milliseconds after which the server asked to be tried again, from `Retry-After` or the Status. */
  readonly retryAfterMs?: number | undefined;
  /** UID of the FlowSchema that classified the request (API Priority and Fairness). */
  readonly flowSchemaUid?: string | undefined;
  /** UID of the PriorityLevelConfiguration that the request ran under. */
  readonly priorityLevelUid?: string | undefined;
}

/**
 * The server answered with a failure. Which one is asked by `isNotFound`, `isConflict` and the other predicates.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 */
export class StatusError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "StatusError";
  /** The Status as the server sent it, or one made from the HTTP response where there was none. */
  readonly status: Status;
  /** HTTP status code. */
  readonly code: number;
  /** Machine-readable reason, as `NotFound`; `""` where the server gave none. */
  readonly reason: string;
  /** What it was about, if the server said. */
  readonly details: StatusDetails | undefined;
  /** Milliseconds after which the server asked to be tried again; absent if it did not. */
  readonly retryAfterMs: number | undefined;
  /** UID of the FlowSchema that classified the request; absent if the server did not say. */
  readonly flowSchemaUid: string | undefined;
  /** UID of the PriorityLevelConfiguration that the request ran under; absent if the server did not say. */
  readonly priorityLevelUid: string | undefined;

  /** Made from a Status of the server. */
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

  /** The class's own name, which survives minification. */
  static override get className(): string {
    return "StatusError";
  }
}
