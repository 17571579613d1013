import { type Clock, systemClock } from "../internal/clock.js";
import { quietly } from "../internal/quietly.js";
import type { Interceptor } from "../transport/transport.js";
import { observeBody } from "./observe-body.js";
import { type RequestInfo, requestInfo } from "./request-info.js";

/** Measurements of one request attempt after it ended. */
export interface RequestMeasurement extends RequestInfo {
  /** HTTP method. */
  readonly method: string;
  /** HTTP status; absent if no response arrived. */
  readonly status?: number | undefined;
  /** Error of the attempt or of reading its body. Leaving a body early isn't an error. */
  readonly error?: unknown;
  /** Milliseconds until the response headers arrived or the attempt failed. */
  readonly headersMs: number;
  /** Milliseconds until the body ended; for a watch, the time it was open. */
  readonly totalMs: number;
  /** Size of the request body in bytes. */
  readonly sentBytes: number;
  /** Size of the response body in bytes, after decompression. */
  readonly receivedBytes: number;
  /** UID of the FlowSchema that classified the request. */
  readonly flowSchemaUid?: string | undefined;
  /** UID of the PriorityLevelConfiguration that the request ran under. */
  readonly priorityLevelUid?: string | undefined;
}

/**
 * Returns an interceptor that reports every attempt once, when its response body ends. Exceptions thrown by `record`
 * are ignored.
 *
 * @example
 * ```ts
 * import { measureRequests } from "kubestream/interceptors";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect({
 *   interceptors: [
 *     measureRequests(({ verb, resource, status, totalMs }) => console.log(verb, resource ?? "-", status ?? "failed", totalMs)),
 *   ],
 * });
 * await client.close();
 * ```
 */
export function measureRequests(
  record: (measurement: RequestMeasurement) => void,
  options: { readonly clock?: Clock | undefined } = {},
): Interceptor {
  const clock = options.clock ?? systemClock;
  const report = quietly(record);
  return (next) => async (request) => {
    const begin = clock.monotonic();
    const base = {
      ...requestInfo(request.method, request.path),
      method: request.method,
      sentBytes: request.body?.length ?? 0,
    };
    try {
      const response = await next(request);
      const headersMs = clock.monotonic() - begin;
      const flowSchemaUid = response.headers.get("x-kubernetes-pf-flowschema-uid");
      const priorityLevelUid = response.headers.get("x-kubernetes-pf-prioritylevel-uid");
      const body = observeBody(response.body, request.signal, (receivedBytes, error) => {
        report({
          ...base,
          status: response.status,
          ...(error !== undefined && { error }),
          headersMs,
          totalMs: clock.monotonic() - begin,
          receivedBytes,
          ...(flowSchemaUid !== null && { flowSchemaUid }),
          ...(priorityLevelUid !== null && { priorityLevelUid }),
        });
      });
      return { ...response, body };
    } catch (error) {
      const headersMs = clock.monotonic() - begin;
      report({ ...base, error, headersMs, totalMs: headersMs, receivedBytes: 0 });
      throw error;
    }
  };
}
