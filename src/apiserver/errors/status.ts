import type { Status, StatusCause, StatusDetails } from "../../meta/status.js";
import { boundText, goQuote } from "../internal/go-text.js";
import { boundStatus } from "./bounded.js";
import type { FieldError } from "./field-error.js";
import { invalidStatus } from "./field-error.js";

/** Group and resource, for error messages. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** Returns `resource` or `resource.group`. */
export function qualify(resource: GroupResource): string {
  return resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
}

/** An error that is answered with a failure Status. `answerErrors` catches it. */
export class ApiFailure extends Error {
  /** Status to answer with. */
  readonly status: Status;
  /** Additional response headers. */
  readonly headers: [string, string][];
  /** True if the routing of the built-in kinds produces the error, which doesn't support CBOR. */
  readonly byRoute: boolean;

  constructor(status: Status, headers: [string, string][] = [], byRoute = false) {
    const bounded = boundStatus(status);
    super(bounded.message ?? "");
    this.status = bounded;
    this.headers = headers;
    this.byRoute = byRoute;
  }
}

/** An error that is answered in plain text: outside of the API, or in a layer without Status objects. */
export class PlainFailure extends Error {
  /** HTTP status code. */
  readonly code: number;
  /** Additional response headers. */
  readonly headers: [string, string][];

  constructor(code: number, text: string, headers: [string, string][] = []) {
    super(boundText(text));
    this.code = code;
    this.headers = headers;
  }
}

/** Creates a failure Status. Sets `Retry-After` if the details contain `retryAfterSeconds`. */
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

/** Creates the 404 for a missing object. */
export function notFound(resource: GroupResource, name: string): ApiFailure {
  return failure(404, "NotFound", `${qualify(resource)} ${goQuote(name)} not found`, detailsOf(resource, name));
}

/** Creates the 404 for a path that isn't served. */
export function notServed(): ApiFailure {
  return routeFailure(404, "NotFound", "the server could not find the requested resource");
}

export function methodNotAllowed(): ApiFailure {
  return routeFailure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
}

/** Creates a failure that the routing of the built-in kinds reports before it reads the rest of the request. */
export function routeFailure(code: number, reason: string, message: string): ApiFailure {
  return new ApiFailure(
    { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, details: {}, code },
    [],
    true,
  );
}

/** Marks a failure as found before the handlers of a custom resource run. */
export function beforeHandling({ status, headers }: ApiFailure): ApiFailure {
  return new ApiFailure(status, headers, true);
}

/** Creates the 405 for an action that a custom resource doesn't support. */
export function notSupported(resource: GroupResource, action: string): ApiFailure {
  return failure(
    405,
    "MethodNotAllowed",
    `${action} is not supported on resources of kind ${JSON.stringify(qualify(resource))}`,
    { ...(resource.group === "" ? {} : { group: resource.group }), kind: resource.resource },
  );
}

/** Creates the 409 for the creation of an existing object. */
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

/** Creates the 409 for a conflicting write. */
export function conflict(resource: GroupResource, name: string, why: string): ApiFailure {
  return failure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${qualify(resource)} ${goQuote(name)}: ${why}`,
    detailsOf(resource, name),
  );
}

/** Message for a stale resourceVersion. */
export const modifiedMessage =
  "the object has been modified; please apply your changes to the latest version and try again";

export function badRequest(message: string): ApiFailure {
  return failure(400, "BadRequest", message);
}

/** Creates the 403 for an object or a collection. */
export function forbidden(resource: GroupResource, name: string, why: string): ApiFailure {
  const subject =
    resource.resource === ""
      ? "forbidden"
      : name === ""
        ? `${qualify(resource)} is forbidden`
        : `${qualify(resource)} ${goQuote(name)} is forbidden`;
  return failure(403, "Forbidden", `${subject}: ${why}`, resource.resource === "" ? {} : detailsOf(resource, name));
}

/** Throws a 422 with the errors as causes, if there are any. */
export function throwInvalid(kind: { group: string; kind: string }, name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw new ApiFailure(invalidStatus(kind, name, errors));
}

/** Creates a 500 with the bare text of an error and no reason. */
export function rawError(message: string): ApiFailure {
  return failure(500, undefined, message);
}

export function internalError(message: string): ApiFailure {
  return failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** Creates the 410 for a list or watch of a compacted version. */
export function expired(message: string): ApiFailure {
  return failure(410, "Expired", message);
}

/** Creates the 504 for a resourceVersion that the server hasn't reached. */
export function tooLargeResourceVersion(requested: number, current: number, retry: boolean): ApiFailure {
  const causes: StatusCause[] = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  return failure(504, "Timeout", `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    causes,
    ...(retry ? { retryAfterSeconds: 1 } : {}),
  });
}
