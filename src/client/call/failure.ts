import type { Codec } from "../../codec/codec.js";
import { ProtocolError } from "../../errors/errors.js";
import { isNotFound } from "../../errors/predicates.js";
import { StatusError } from "../../errors/status-error.js";
import { utf8Decode } from "../../internal/bytes.js";
import type { Clock } from "../../internal/clock.js";
import { readStart } from "../../internal/streams/read-start.js";
import type { Status, StatusCause, StatusDetails } from "../../meta/status.js";
import type { TransportResponse } from "../../transport/transport.js";
import { baseMediaType, codecFor } from "./media-types.js";
import { type Redact, redactTokens } from "./redact-error.js";
import type { ResponseInfo } from "./response-info.js";
import { parseRetryAfter } from "./retry.js";

/** Maximum number of bytes read of an error body. A Status is far smaller; a proxy's error page can have any size. */
const maxErrorBytes = 1024 * 1024;
/** Maximum time in milliseconds spent reading an error body. */
const maxErrorMs = 15_000;
const maxExcerpt = 256;

/** Builds the error for an unsuccessful response. Reads at most 1 MiB of its body, for at most 15 seconds. */
export async function failureOf(
  response: TransportResponse,
  info: ResponseInfo,
  call: { readonly action: string; readonly method: string },
  {
    readable,
    clock,
    redact = redactTokens,
  }: { readonly readable: readonly Codec[]; readonly clock: Clock; readonly redact?: Redact },
): Promise<StatusError | ProtocolError> {
  if (response.status < 400) return unexpected(response, call.action);
  const bytes = await readStart(response.body, { bytes: maxErrorBytes, ms: maxErrorMs, clock });
  const contentType = response.headers.get("content-type");
  const options = {
    action: call.action,
    retryAfterMs: parseRetryAfter(response.headers.get("retry-after"), clock.now()),
    flowSchemaUid: info.flowSchemaUid,
    priorityLevelUid: info.priorityLevelUid,
  };
  const status = decodeStatus(bytes, codecFor(readable, contentType));
  if (status) return new StatusError(normalizeStatus(status, response.status, call.method), options);
  const text = excerpt(bytes, contentType, redact);
  // The server answers like this for a kind that it doesn't serve; the action names the kind.
  const message = text === "404 page not found" ? `the server doesn't serve this resource (${text})` : text;
  return new StatusError(
    {
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      code: response.status,
      reason: reasonOf(response.status, call.method),
      ...(message === "" ? undefined : { message }),
    },
    options,
  );
}

/** Throws a `StatusError` if the body is a failed Status although the HTTP status says success. */
export function checkAnswer(answer: object, action: string): void {
  const status = answer as Partial<Status>;
  if (status.kind !== "Status" || status.status !== "Failure") return;
  throw new StatusError(normalizeStatus(status, 500, "GET"), { action });
}

/**
 * Returns true if the error means that the named object doesn't exist. A 404 for a path that the server doesn't serve
 * names no object.
 */
export function isAbsent(error: unknown, name: string): boolean {
  return isNotFound(error) && error.details?.name === name;
}

/** Decodes an error body; returns `undefined` if it isn't a Status. */
function decodeStatus(bytes: Uint8Array, codec: Codec | undefined): Status | undefined {
  if (!codec || bytes.length === 0) return undefined;
  try {
    const value = codec.decode(bytes) as { kind?: unknown; code?: unknown };
    return value.kind === "Status" ? (value as Status) : undefined;
  } catch {
    // An error page with a misleading content type. Only the HTTP status can be trusted.
    return undefined;
  }
}

/**
 * Normalizes an untrusted Status: drops fields of the wrong type, falls back to `code`, and redacts bearer tokens
 * echoed in the message.
 */
export function normalizeStatus(status: Status, code: number, method: string): Status {
  const { message, reason, details, ...rest } = status as { [Field in keyof Status]: unknown };
  const validCode = Number.isInteger(status.code) && status.code! >= 400 && status.code! <= 599 ? status.code! : code;
  return {
    ...(rest as Status),
    code: validCode,
    ...(typeof message === "string" && { message: redactTokens(message) }),
    ...(typeof reason === "string" ? { reason } : reason === undefined ? {} : { reason: reasonOf(validCode, method) }),
    ...(typeof details === "object" && details !== null && { details: normalizeDetails(details) }),
  };
}

/** Drops details of the wrong type. */
function normalizeDetails(details: object): StatusDetails {
  const { causes, retryAfterSeconds, ...rest } = details as { [Field in keyof StatusDetails]: unknown };
  return {
    ...(rest as StatusDetails),
    ...(Array.isArray(causes) && {
      causes: causes.filter((cause): cause is StatusCause => typeof cause === "object" && cause !== null),
    }),
    ...(typeof retryAfterSeconds === "number" && { retryAfterSeconds }),
  };
}

/**
 * Shortens a body that isn't an API object for an error message: one line of plain text, truncated, without credentials.
 */
export function excerpt(bytes: Uint8Array, contentType: string | null, redact: Redact): string {
  let text = utf8Decode(bytes.subarray(0, 16 * 1024));
  if (baseMediaType(contentType) === "text/html" || /^\s*</.test(text)) {
    text = text.replace(/<(script|style)\b[^]*?<\/\1\s*>/gi, " ").replace(/<[^<>]*>/g, " ");
  }
  text = text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  text = redact(text);
  return text.length <= maxExcerpt ? text : `${text.slice(0, maxExcerpt)}…`;
}

/**
 * Builds the error for a redirect or an unexpected success status. Redirects aren't followed because credentials would
 * leak to the target.
 */
function unexpected(response: TransportResponse, action: string): ProtocolError {
  const location = response.headers.get("location");
  if (location === null) return new ProtocolError(`${action}: unexpected HTTP status ${response.status}`);
  let target = "another path";
  if (/^(?:[a-z][a-z0-9+.-]*:)?\/\//i.test(location)) {
    try {
      target = new URL(location, "http://localhost").origin;
    } catch {
      target = "an invalid URL";
    }
  }
  return new ProtocolError(
    `${action}: HTTP status ${response.status}: redirect to ${target}; redirects are not followed`,
  );
}

/** Maps an HTTP status to a reason like apimachinery does for responses without a Status. */
function reasonOf(code: number, method: string): string {
  if (code === 409) return method === "POST" ? "AlreadyExists" : "Conflict";
  return reasons[code] ?? (code >= 500 ? "InternalError" : "Unknown");
}

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};
