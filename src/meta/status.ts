/** One cause of a failure. */
export interface StatusCause {
  /** Machine-readable reason, as `FieldValueRequired`. */
  reason?: string;
  /** Human-readable text. */
  message?: string;
  /** Path of the field that caused it, as `spec.containers[0].name`. */
  field?: string;
}

/** What a failure was about. */
export interface StatusDetails {
  /** Name of the object. */
  name?: string;
  /** API group of the object. */
  group?: string;
  /** Resource or kind of the object. */
  kind?: string;
  /** UID of the object. */
  uid?: string;
  /** The single causes. */
  causes?: StatusCause[];
  /** Seconds to wait before the same request is sent again. */
  retryAfterSeconds?: number;
}

/**
 * How the server tells of a failure, and of some successes.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 */
export interface Status {
  /** `Status`. */
  kind?: string;
  /** `v1`. */
  apiVersion?: string;
  /** For an expired list, `continue` holds a token to go on inconsistently. */
  metadata?: { resourceVersion?: string; continue?: string; remainingItemCount?: number; selfLink?: string };
  /** Outcome. */
  status?: "Success" | "Failure" | (string & {});
  /** Human-readable text. */
  message?: string;
  /** Machine-readable reason, as `NotFound`. */
  reason?: string;
  /** What it was about. */
  details?: StatusDetails;
  /** HTTP status code. */
  code?: number;
}
