import { StatusError } from "./status-error.js";

/** As apimachinery: the reason decides; the code only where the server gave no reason that is known. */
function matches(error: unknown, reason: string, code: number): error is StatusError {
  if (!(error instanceof StatusError)) return false;
  return error.reason === reason || (!known.has(error.reason) && error.code === code);
}

const known = new Set([
  "Unauthorized",
  "Forbidden",
  "NotFound",
  "AlreadyExists",
  "Conflict",
  "Gone",
  "Invalid",
  "ServerTimeout",
  "StoreReadError",
  "Timeout",
  "TooManyRequests",
  "BadRequest",
  "MethodNotAllowed",
  "NotAcceptable",
  "RequestEntityTooLarge",
  "UnsupportedMediaType",
  "InternalError",
  "Expired",
  "ServiceUnavailable",
]);

/** 401: no or bad credentials. */
export const isUnauthorized = (error: unknown): error is StatusError => matches(error, "Unauthorized", 401);
/** 403: the user may not do this. */
export const isForbidden = (error: unknown): error is StatusError => matches(error, "Forbidden", 403);
/** 404: no such object or resource. */
export const isNotFound = (error: unknown): error is StatusError => matches(error, "NotFound", 404);
/** 409 on create: the name is taken. */
export const isAlreadyExists = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.reason === "AlreadyExists";
/** 409: the object has changed since it was read, or another manager owns a field. */
export const isConflict = (error: unknown): error is StatusError => matches(error, "Conflict", 409);
/** 410 with reason `Gone`. */
export const isGone = (error: unknown): error is StatusError => matches(error, "Gone", 410);
/** The resourceVersion or continue token is too old: list again. */
export const isResourceExpired = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.reason === "Expired";
/** 422: the object does not validate; `details.causes` says where. */
export const isInvalid = (error: unknown): error is StatusError => matches(error, "Invalid", 422);
/** 400: the request cannot be understood. */
export const isBadRequest = (error: unknown): error is StatusError => matches(error, "BadRequest", 400);
/** 405: the resource does not have this verb. */
export const isMethodNotSupported = (error: unknown): error is StatusError => matches(error, "MethodNotAllowed", 405);
/** 406: none of the accepted media types can be produced. */
export const isNotAcceptable = (error: unknown): error is StatusError => matches(error, "NotAcceptable", 406);
/** 413: the body is too large. */
export const isRequestEntityTooLarge = (error: unknown): error is StatusError =>
  matches(error, "RequestEntityTooLarge", 413);
/** 415: the body's media type is not taken. */
export const isUnsupportedMediaType = (error: unknown): error is StatusError =>
  matches(error, "UnsupportedMediaType", 415);
/** 429: too many requests, or an eviction that a disruption budget holds back. */
export const isTooManyRequests = (error: unknown): error is StatusError =>
  error instanceof StatusError && (error.reason === "TooManyRequests" || error.code === 429);
/** 500 with reason `InternalError`. */
export const isInternalError = (error: unknown): error is StatusError => matches(error, "InternalError", 500);
/** 503: the server, or one behind it, is not available. */
export const isServiceUnavailable = (error: unknown): error is StatusError => matches(error, "ServiceUnavailable", 503);
/** 504: the server gave up; the request may or may not have taken effect. */
export const isTimeout = (error: unknown): error is StatusError => matches(error, "Timeout", 504);
/** The server cannot complete the request in time now; it is worth repeating. */
export const isServerTimeout = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.reason === "ServerTimeout";

/**
 * The asked resourceVersion lies in the server's future: it lost history, or lags behind. Recognised by the cause, and
 * by the text that servers before 1.18.6 sent alone.
 */
export function isTooLargeResourceVersion(error: unknown): error is StatusError {
  if (!isTimeout(error)) return false;
  const causes = error.details?.causes ?? [];
  return causes.some(
    (cause) => cause.reason === "ResourceVersionTooLarge" || cause.message === "Too large resource version",
  );
}
