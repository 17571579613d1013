/** One cause of a failure. */
export interface StatusCause {
  /** Machine-readable reason, such as `FieldValueRequired`. */
  reason?: string | undefined;
  /** Human-readable text. */
  message?: string | undefined;
  /** Path of the field, such as `spec.containers[0].name`. */
  field?: string | undefined;
}

/** Details of a failure. */
export interface StatusDetails {
  /** Name of the object. */
  name?: string | undefined;
  /** API group of the object. */
  group?: string | undefined;
  /** Resource or kind of the object. */
  kind?: string | undefined;
  /** UID of the object. */
  uid?: string | undefined;
  /** Individual causes. */
  causes?: StatusCause[] | undefined;
  /** Seconds to wait before the request is retried. */
  retryAfterSeconds?: number | undefined;
}

/**
 * Response of the server to a failed request, and to some successful ones.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 */
export interface Status {
  /** `Status`. */
  kind?: string | undefined;
  /** `v1`. */
  apiVersion?: string | undefined;
  /**
   * List metadata. If a continue token expired, `continue` is a token for the rest of the list at the latest version.
   */
  metadata?:
    | {
        resourceVersion?: string | undefined;
        continue?: string | undefined;
        remainingItemCount?: number | undefined;
        selfLink?: string | undefined;
      }
    | undefined;
  /** Outcome. */
  status?: "Success" | "Failure" | (string & {}) | undefined;
  /** Human-readable text. */
  message?: string | undefined;
  /** Machine-readable reason, such as `NotFound`. */
  reason?: string | undefined;
  /** Details of the failure. */
  details?: StatusDetails | undefined;
  /** HTTP status code. */
  code?: number | undefined;
}
