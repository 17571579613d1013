import { type Clock, systemClock } from "../internal/clock.js";
import { quietly } from "../internal/quietly.js";
import type { Interceptor } from "../transport/transport.js";
import { observeBody } from "./observe-body.js";
import { type RequestInfo, requestInfo } from "./request-info.js";

/** One attempt to get an answer, when it is over. */
export interface RequestMeasurement extends RequestInfo {
  /** HTTP method. */
  readonly method: string;
  /** HTTP status; absent where no answer came. */
  readonly status?: number;
  /** What failed: the attempt, or the reading of its body. Leaving a body early is no failure. */
  readonly error?: unknown;
  /** Milliseconds until the headers were there, or the attempt had failed. */
  readonly headersMs: number;
  /** Milliseconds until the body was over; for a watch as long as it was open. */
  readonly totalMs: number;
  /** Bytes of the request's body. */
  readonly sentBytes: number;
  /** Bytes of the response's body, after decompression. */
  readonly receivedBytes: number;
  /** UID of the FlowSchema that classified the request. */
  readonly flowSchemaUid?: string;
  /** UID of the PriorityLevelConfiguration that the request ran under. */
  readonly priorityLevelUid?: string;
}

/** Reports every attempt once, when its body is over. What `record` throws is dropped. */
export function measureRequests(
  record: (measurement: RequestMeasurement) => void,
  options: { readonly clock?: Clock } = {},
): Interceptor {
  const clock = options.clock ?? systemClock;
  const tell = quietly(record);
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
        tell({
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
      tell({ ...base, error, headersMs, totalMs: headersMs, receivedBytes: 0 });
      throw error;
    }
  };
}
