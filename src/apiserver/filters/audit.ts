import type { Status } from "../../meta/status.js";
import type { AuditSink } from "../audit/event.js";
import type { AuditPolicy } from "../audit/policy.js";
import { evaluateAuditPolicy } from "../audit/policy.js";
import { createAuditTrail } from "../audit/trail.js";
import { ApiFailure, PlainFailure } from "../errors/status.js";
import type { AuditTrail } from "../http/audit-trail.js";
import { readWhole } from "../http/body.js";
import type { Encoding } from "../http/encoding.js";
import type { BodyStream, ServerResponse } from "../http/http.js";
import { responseHeader } from "../http/http.js";
import { isJsonObject } from "../internal/json-value.js";
import { requestAttributes } from "../rbac/attributes.js";
import { decodeBody } from "../wire/encodings.js";
import { isLongRunning } from "./deadline.js";
import { answerFailure } from "./errors.js";
import type { Filter, FilterContext } from "./filter.js";

/** Options for the audit log. */
export interface AuditOptions {
  /** Rules that select the requests to record, and how much of them. */
  readonly policy: AuditPolicy;
  /** Callback that receives the events. */
  readonly sink: AuditSink;
}

const encodings: readonly (readonly [string, Encoding])[] = [
  ["json", "json"],
  ["yaml", "yaml"],
  ["protobuf", "protobuf"],
  ["cbor", "cbor"],
];

/** Records authenticated requests. */
export function audit({ policy, sink }: AuditOptions): Filter {
  return async (context, next) => {
    const decision = evaluateAuditPolicy(policy, requestAttributes(context.user, context.info));
    if (decision.level === "None") return next(context);
    const trail = createAuditTrail(context, decision, sink);
    context.audit = trail;
    trail.stage("RequestReceived");
    let response: ServerResponse;
    try {
      response = await next(context);
    } catch (error) {
      response = recordFailure(trail, context, error);
    }
    return recordAnswer(trail, context, await withWholeObject(trail, context, response));
  };
}

/** Records requests that failed authentication. */
export function auditFailedAuthentication({ policy, sink }: AuditOptions): Filter {
  return async (context, next) => {
    try {
      return await next(context);
    } catch (error) {
      if (context.audit === undefined && error instanceof ApiFailure && error.status.code === 401) {
        const decision = evaluateAuditPolicy(policy, requestAttributes(context.user, context.info), false);
        if (decision.level !== "None") {
          const trail = createAuditTrail(context, decision, sink, false);
          trail.response(error.status, 401, trail.wantsResponse ? error.status : undefined);
          trail.stage("ResponseStarted");
        }
      }
      throw error;
    }
  };
}

/** Returns the response for a thrown error. An unexpected error is recorded as a panic and thrown again. */
function recordFailure(trail: AuditTrail, context: FilterContext, error: unknown): ServerResponse {
  if (error instanceof ApiFailure || error instanceof PlainFailure) return answerFailure(context, error);
  if (context.signal().aborted) {
    trail.response({ status: "Success", message: "Connection closed early" }, 200, undefined);
    if (isLongRunning(context.info)) trail.stage("ResponseStarted");
    trail.stage("ResponseComplete");
  } else {
    trail.response(
      {
        status: "Failure",
        message: `APIServer panic'd: ${error instanceof Error ? error.message : String(error)}`,
        reason: "InternalError",
      },
      500,
      undefined,
    );
    trail.stage("Panic");
  }
  throw error;
}

/** Reads a streamed object that the trail records. */
async function withWholeObject(
  trail: AuditTrail,
  { info }: FilterContext,
  response: ServerResponse,
): Promise<ServerResponse> {
  const { body } = response;
  if (!trail.wantsResponse || isLongRunning(info) || body === undefined || body instanceof Uint8Array) return response;
  return { ...response, body: await readWhole(body) };
}

function recordAnswer(trail: AuditTrail, context: FilterContext, response: ServerResponse): ServerResponse {
  const { body, status } = response;
  const whole =
    body instanceof Uint8Array && (trail.wantsResponse || status >= 400 || context.request.method !== "GET")
      ? decodeAnswer(response, body)
      : undefined;
  trail.response(isStatus(whole) ? whole : undefined, status, trail.wantsResponse ? whole : undefined);
  if (isLongRunning(context.info)) trail.stage("ResponseStarted");
  if (body === undefined || body instanceof Uint8Array) trail.stage("ResponseComplete");
  else response.body = observeEnd(body, () => trail.stage("ResponseComplete"));
  return response;
}

function isStatus(value: unknown): value is Status {
  return isJsonObject(value) && value["kind"] === "Status" && value["apiVersion"] === "v1";
}

/** Decodes the response body; returns `undefined` for bodies that aren't objects, such as plain text. */
function decodeAnswer(response: ServerResponse, body: Uint8Array): unknown {
  const type = responseHeader(response, "content-type") ?? "";
  const encoding = encodings.find(([word]) => type.includes(word))?.[1];
  return encoding === undefined ? undefined : decodeBody(encoding, body).value;
}

/** Passes a stream through and calls `ended` once it is over, on either side. */
function observeEnd(stream: BodyStream, ended: () => void): BodyStream {
  let reported = false;
  const finish = <T>(result: T): T => {
    if (!reported) ended();
    reported = true;
    return result;
  };
  return {
    async next() {
      try {
        const result = await stream.next();
        return result.done === true ? finish(result) : result;
      } catch (error) {
        throw finish(error);
      }
    },
    async return() {
      return finish(await stream.return());
    },
  };
}
