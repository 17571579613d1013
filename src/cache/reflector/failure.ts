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
 * What a failure means to a reflector, from wherever it came: HTTP status, ERROR event, list page or continue token.
 *
 * - `expired`: the version or continue token is too old.
 * - `tooLarge`: the version lies in the server's future; it lost history, or lags behind.
 * - `throttled`: 429.
 * - `unauthorized`, `forbidden`, `notFound`: it takes somebody to change something.
 * - `unsupported`: the request is not understood; a streaming list falls back to a plain one.
 * - `server`: any other answer of failure.
 * - `transport`: no answer, or a connection that broke.
 * - `protocol`: an answer that cannot be read.
 * - `other`: anything else that was thrown, as by a `transform`.
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

/** The one place that tells failures apart. */
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
