import { ProtocolError } from "../errors/errors.js";

/** Request of a review and the API version of the review. */
export interface ReviewRequest<R> {
  /** API version, which the response must repeat. */
  readonly apiVersion: string;
  /** Content of the `request` field. */
  readonly request: R;
}

/** Returns the request of a review of the given kind. Throws a `ProtocolError` for anything else. */
export function readReviewRequest<R extends { readonly uid: string }>(
  review: unknown,
  kind: string,
  group: string,
): ReviewRequest<R> {
  const given = (review ?? {}) as { apiVersion?: unknown; kind?: unknown; request?: { uid?: unknown } | null };
  const { apiVersion } = given;
  if (given.kind !== kind || (apiVersion !== `${group}/v1` && apiVersion !== `${group}/v1beta1`)) {
    throw new ProtocolError(
      `expected ${kind} of ${group}/v1, got ${JSON.stringify(given.kind) ?? "no kind"} of ${JSON.stringify(apiVersion) ?? "no version"}`,
    );
  }
  if (typeof given.request !== "object" || given.request === null || typeof given.request.uid !== "string")
    throw new ProtocolError(`${kind}: request.uid is required`);
  return { apiVersion, request: given.request as unknown as R };
}
