import type { Warning } from "../../meta/options.js";
import type { ResponseHeaders, TransportResponse } from "../../transport/transport.js";
import { parseWarnings } from "./warnings.js";

/** Status, headers and warnings of the response that a result came with. */
export interface ResponseInfo {
  /** HTTP status code: 201 if the object was created, 200 if it was updated. */
  readonly status: number;
  /** All headers. */
  readonly headers: ResponseHeaders;
  /** The warnings that the server sent. */
  readonly warnings: readonly Warning[];
  /** UID of the FlowSchema that classified the request; absent if the server did not say. */
  readonly flowSchemaUid?: string;
  /** UID of the PriorityLevelConfiguration that the request ran under; absent if the server did not say. */
  readonly priorityLevelUid?: string;
  /** Identifies the request in the server's audit log; absent if the server did not say. */
  readonly auditId?: string;
  /** How many times the request was sent: 1 without a retry. */
  readonly attempts: number;
}

/** Reads the status, the headers and the warnings of a response. */
export function readResponseInfo(response: TransportResponse, attempts: number): ResponseInfo {
  const { headers } = response;
  const warning = headers.get("warning");
  const flowSchemaUid = headers.get("x-kubernetes-pf-flowschema-uid");
  const priorityLevelUid = headers.get("x-kubernetes-pf-prioritylevel-uid");
  const auditId = headers.get("audit-id");
  return {
    status: response.status,
    headers,
    warnings: warning === null ? none : parseWarnings(warning),
    ...(flowSchemaUid === null ? undefined : { flowSchemaUid }),
    ...(priorityLevelUid === null ? undefined : { priorityLevelUid }),
    ...(auditId === null ? undefined : { auditId }),
    attempts,
  };
}

const none: readonly Warning[] = [];
const known = new WeakMap<object, ResponseInfo>();

/** Records the response that a result or error came with. */
export function noteResponse(result: object, info: ResponseInfo): void {
  known.set(result, info);
}

/**
 * Returns the response that a result came with: status, headers, warnings. Takes an object, list, page, table, watch (after
 * its first event) or `StatusError` returned by a client; returns `undefined` for anything else.
 */
export function getResponseInfo(result: object): ResponseInfo | undefined {
  return known.get(result);
}
