/** One cause of a failure. */
export interface StatusCause {
  /** Machine-readable reason, such as `FieldValueRequired`. */
  reason?: string;
  /** Human-readable text. */
  message?: string;
  /** Path of the field, such as `spec.containers[0].name`. */
  field?: string;
}

/** Details of a failure. */
export interface StatusDetails {
  /** Name of the object. */
  name?: string;
  /** API group of the object. */
  group?: string;
  /** Resource or kind of the object. */
  kind?: string;
  /** UID of the object. */
  uid?: string;
  /** Individual causes. */
  causes?: StatusCause[];
  /** Seconds to wait before the request is retried. */
  retryAfterSeconds?: number;
}

/**
 * Response of the server to a failed request, and to some successful ones.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 */
export interface Status {
  /** `Status`. */
  kind?: string;
  /** `v1`. */
  apiVersion?: string;
  /**
   * List metadata. If a continue token expired, `continue` is a token for the rest of the list at the latest version.
   */
  metadata?: { resourceVersion?: string; continue?: string; remainingItemCount?: number; selfLink?: string };
  /** Outcome. */
  status?: "Success" | "Failure" | (string & {});
  /** Human-readable text. */
  message?: string;
  /** Machine-readable reason, such as `NotFound`. */
  reason?: string;
  /** Details of the failure. */
  details?: StatusDetails;
  /** HTTP status code. */
  code?: number;
}
