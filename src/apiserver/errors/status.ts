import type { Status, StatusCause, StatusDetails } from "../../meta/status.js";
import { goQuote } from "../internal/go-text.js";
import type { FieldError } from "./field-error.js";
import { invalidStatus } from "./field-error.js";

/** A group and its resource, as errors name them. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** `resource` or `resource.group`. */
export function qualify(resource: GroupResource): string {
  return resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
}

/** A request that is answered with a failure Status. Thrown anywhere below the handler chain's responder. */
export class ApiFailure extends Error {
  /** The Status to answer with. */
  readonly status: Status;
  /** Headers of the answer besides those every answer has. */
  readonly headers: [string, string][];
  /** Whether the routes of the built-in kinds answer it themselves: these know no CBOR. */
  readonly byRoute: boolean;

  constructor(status: Status, headers: [string, string][] = [], byRoute = false) {
    super(status.message ?? "");
    this.status = status;
    this.headers = headers;
    this.byRoute = byRoute;
  }
}

/** A request that is answered with plain text: outside of the API, or by a layer that knows no Status. */
export class PlainFailure extends Error {
  /** HTTP status code. */
  readonly code: number;
  /** Headers of the answer. */
  readonly headers: [string, string][];

  constructor(code: number, text: string, headers: [string, string][] = []) {
    super(text);
    this.code = code;
    this.headers = headers;
  }
}

/** A failure Status. `details` is left out where it is `undefined`. */
export function failure(
  code: number,
  reason: string | undefined,
  message: string,
  details?: StatusDetails,
): ApiFailure {
  const headers: [string, string][] =
    details?.retryAfterSeconds === undefined ? [] : [["Retry-After", String(details.retryAfterSeconds)]];
  return new ApiFailure(
    {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    },
    headers,
  );
}

function detailsOf(resource: GroupResource, name: string): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(resource.group === "" ? {} : { group: resource.group }),
    kind: resource.resource,
  };
}

/** 404 of one object. */
export function notFound(resource: GroupResource, name: string): ApiFailure {
  return failure(404, "NotFound", `${qualify(resource)} ${goQuote(name)} not found`, detailsOf(resource, name));
}

/** 404 of something the server does not serve at all. */
export function notServed(): ApiFailure {
  return routeFailure(404, "NotFound", "the server could not find the requested resource");
}

/** 405. */
export function methodNotAllowed(): ApiFailure {
  return routeFailure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
}

/** A failure that the routes of the built-in kinds find out before anything of the request is looked at. */
export function routeFailure(code: number, reason: string, message: string): ApiFailure {
  return new ApiFailure(
    { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, details: {}, code },
    [],
    true,
  );
}

/** The same failure, found out before a custom resource's own handlers are asked. */
export function beforeHandling({ status, headers }: ApiFailure): ApiFailure {
  return new ApiFailure(status, headers, true);
}

/** 405 of an action that a custom resource does not know. */
export function notSupported(resource: GroupResource, action: string): ApiFailure {
  return failure(
    405,
    "MethodNotAllowed",
    `${action} is not supported on resources of kind ${JSON.stringify(qualify(resource))}`,
    { ...(resource.group === "" ? {} : { group: resource.group }), kind: resource.resource },
  );
}

/** 409 of a create. */
export function alreadyExists(
  resource: GroupResource,
  name: string,
  terminating: boolean,
  generated = false,
): ApiFailure {
  const message = `${terminating ? "object is being deleted: " : ""}${qualify(resource)} ${goQuote(name)} already exists${generated ? ", the server was not able to generate a unique name for the object" : ""}`;
  return failure(409, "AlreadyExists", message, {
    ...detailsOf(resource, name),
    ...(generated ? { retryAfterSeconds: 1 } : {}),
  });
}

/** 409 of a write. */
export function conflict(resource: GroupResource, name: string, why: string): ApiFailure {
  return failure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${qualify(resource)} ${goQuote(name)}: ${why}`,
    detailsOf(resource, name),
  );
}

/** What a stale resourceVersion is answered with. */
export const MODIFIED = "the object has been modified; please apply your changes to the latest version and try again";

/** 400. */
export function badRequest(message: string): ApiFailure {
  return failure(400, "BadRequest", message);
}

/** 403 of an object or collection. */
export function forbidden(resource: GroupResource, name: string, why: string): ApiFailure {
  const subject =
    resource.resource === ""
      ? "forbidden"
      : name === ""
        ? `${qualify(resource)} is forbidden`
        : `${qualify(resource)} ${goQuote(name)} is forbidden`;
  return failure(403, "Forbidden", `${subject}: ${why}`, resource.resource === "" ? {} : detailsOf(resource, name));
}

/** 422 with the errors as causes; nothing happens if there are none. */
export function throwInvalid(kind: { group: string; kind: string }, name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw new ApiFailure(invalidStatus(kind, name, errors));
}

/** 500 that carries the bare text of an error, without a reason. */
export function rawError(message: string): ApiFailure {
  return failure(500, undefined, message);
}

/** 500 InternalError. */
export function internalError(message: string): ApiFailure {
  return failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** 410 of a list or watch. */
export function expired(message: string): ApiFailure {
  return failure(410, "Expired", message);
}

/** 504 of a resourceVersion the server has not reached. */
export function tooLargeResourceVersion(requested: number, current: number, retry: boolean): ApiFailure {
  const causes: StatusCause[] = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  return failure(504, "Timeout", `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    causes,
    ...(retry ? { retryAfterSeconds: 1 } : {}),
  });
}
