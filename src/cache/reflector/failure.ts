import { ProtocolError, TransportError } from "../../errors/errors.js";
import {
  isForbidden,
  isGone,
  isNotFound,
  isResourceExpired,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
} from "../../errors/predicates.js";
import { StatusError } from "../../errors/status-error.js";

/**
 * Class of a failure, independent of its form: HTTP status, ERROR event, list page or continue token.
 *
 * - `expired`: the version or continue token is too old (410).
 * - `tooLarge`: the version is newer than the server's: the server lost history or lags behind.
 * - `throttled`: 429.
 * - `unauthorized`, `forbidden`, `notFound`: retrying helps only after someone changes credentials, permissions or the
 *   API.
 * - `unsupported`: the server doesn't understand the request; a streaming list falls back to a plain one.
 * - `server`: any other error response.
 * - `transport`: no response, or a broken connection.
 * - `protocol`: a response that cannot be decoded.
 * - `other`: any other exception, for example one thrown by a `transform`.
 */
export type FailureKind =
  | "expired"
  | "tooLarge"
  | "throttled"
  | "unauthorized"
  | "forbidden"
  | "notFound"
  | "unsupported"
  | "server"
  | "transport"
  | "protocol"
  | "other";

const unsupportedCodes = new Set([400, 405, 406, 415, 422, 501]);

/** Classifies a failure. */
export function classifyFailure(error: unknown): FailureKind {
  if (error instanceof StatusError) {
    const { code } = error;
    if (code === 410 || isResourceExpired(error) || isGone(error)) return "expired";
    if (isTooLargeResourceVersion(error)) return "tooLarge";
    if (isTooManyRequests(error)) return "throttled";
    if (isUnauthorized(error)) return "unauthorized";
    if (isForbidden(error)) return "forbidden";
    if (isNotFound(error)) return "notFound";
    return unsupportedCodes.has(code) ? "unsupported" : "server";
  }
  if (error instanceof TransportError) return "transport";
  if (error instanceof ProtocolError) return "protocol";
  return "other";
}
