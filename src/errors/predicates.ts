import { ClosedError, ConfigError } from "./errors.js";
import { StatusError } from "./status-error.js";

/** Decides by reason like apimachinery; by code only if the reason is missing or unknown. */
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

/** Returns true for 401: missing or invalid credentials. */
export const isUnauthorized = (error: unknown): error is StatusError => matches(error, "Unauthorized", 401);
/** Returns true for 403: the user lacks permission. */
export const isForbidden = (error: unknown): error is StatusError => matches(error, "Forbidden", 403);
/** Returns true for the 403 of a create in a namespace that is being deleted. Trying again doesn't help. */
export const isNamespaceTerminating = (error: unknown): error is StatusError =>
  isForbidden(error) && error.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true;
/**
 * Returns true for 404: the object or resource doesn't exist.
 *
 * @example
 * ```ts
 * import { isNotFound } from "kubestream";
 * import { Job } from "kubestream/kinds/batch/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * await client.resource(Job).namespace("web").delete("import").catch((error: unknown) => {
 *   if (!isNotFound(error)) throw error;
 * });
 * ```
 */
export const isNotFound = (error: unknown): error is StatusError => matches(error, "NotFound", 404);
/** Returns true for a 409 on create: an object with this name exists. */
export const isAlreadyExists = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.reason === "AlreadyExists";
/**
 * Returns true for 409: the object changed since it was read, or another field manager owns a field.
 *
 * @example
 * ```ts
 * import { isConflict } from "kubestream";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * try {
 *   const app = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "app" }, data: {} } as const;
 *   await client.resource(ConfigMap).namespace("web").apply(app, { fieldManager: "ci" });
 * } catch (error) {
 *   if (isConflict(error)) console.error("owned by another manager:", error.details?.causes);
 *   else throw error;
 * }
 * ```
 */
export const isConflict = (error: unknown): error is StatusError => matches(error, "Conflict", 409);
/** Returns true for 410 with reason `Gone`. */
export const isGone = (error: unknown): error is StatusError => matches(error, "Gone", 410);
/** Returns true if the resourceVersion or continue token is too old (410 with reason `Expired`): list again. */
export const isResourceExpired = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.reason === "Expired";
/** Returns true for 422: the object failed validation. `details.causes` lists the fields. */
export const isInvalid = (error: unknown): error is StatusError => matches(error, "Invalid", 422);
/** Returns true for 400: the request is malformed. */
export const isBadRequest = (error: unknown): error is StatusError => matches(error, "BadRequest", 400);
/** Returns true for 405: the resource doesn't support the verb. */
export const isMethodNotSupported = (error: unknown): error is StatusError => matches(error, "MethodNotAllowed", 405);
/** Returns true for 406: the server can't produce any of the accepted media types. */
export const isNotAcceptable = (error: unknown): error is StatusError => matches(error, "NotAcceptable", 406);
/** Returns true for 413: the body is too large. */
export const isRequestEntityTooLarge = (error: unknown): error is StatusError =>
  matches(error, "RequestEntityTooLarge", 413);
/** Returns true for 415: the server doesn't accept the body's media type. */
export const isUnsupportedMediaType = (error: unknown): error is StatusError =>
  matches(error, "UnsupportedMediaType", 415);
/** Returns true for 429: too many requests, or an eviction blocked by a disruption budget. */
export const isTooManyRequests = (error: unknown): error is StatusError =>
  error instanceof StatusError && (error.reason === "TooManyRequests" || error.code === 429);
/** Returns true for 500 with reason `InternalError`. */
export const isInternalError = (error: unknown): error is StatusError => matches(error, "InternalError", 500);
/** Returns true for 503: the server, or a server behind it, is unavailable. */
export const isServiceUnavailable = (error: unknown): error is StatusError => matches(error, "ServiceUnavailable", 503);
/** Returns true for 504: the server gave up. The request may or may not have taken effect. */
export const isTimeout = (error: unknown): error is StatusError => matches(error, "Timeout", 504);
/**
 * Returns true if the server can't complete the request in time at the moment (reason `ServerTimeout`). Retrying may
 * succeed.
 */
export const isServerTimeout = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.reason === "ServerTimeout";

/**
 * Returns true if the requested resourceVersion is newer than the server's data: the server lost history or lags
 * behind. Recognized by the cause's reason, and by the message alone for servers before 1.18.6.
 */
export function isTooLargeResourceVersion(error: unknown): error is StatusError {
  if (!isTimeout(error)) return false;
  const causes = error.details?.causes ?? [];
  return causes.some(
    (cause) => cause.reason === "ResourceVersionTooLarge" || cause.message === "Too large resource version",
  );
}

/** Returns true if repeating the call in this process can't succeed: its client is closed, or a package is missing. */
export function isPermanent(error: unknown): boolean {
  return error instanceof ClosedError || (error instanceof ConfigError && error.permanent);
}
