import { ProtocolError } from "../errors/errors.js";

/** Request of a review, with the review's version. */
export interface ReviewRequest<R> {
  /** The version, in which the answer must be too. */
  readonly apiVersion: string;
  /** The question. */
  readonly request: R;
}

/** Returns the request of a review of this kind. Throws a `ProtocolError` for anything else. */
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
    throw new ProtocolError(`${kind}: it holds no request with a uid`);
  return { apiVersion, request: given.request as unknown as R };
}
