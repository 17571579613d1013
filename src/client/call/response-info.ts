import type { Warning } from "../../meta/options.js";
import type { ResponseHeaders, TransportResponse } from "../../transport/transport.js";
import { parseWarnings } from "./warnings.js";

/** What came with a result besides the object. */
export interface ResponseInfo {
  /** HTTP status code: 201 tells a created object from an updated one. */
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

/** Reads what came with a response. */
export function responseInfo(response: TransportResponse, attempts: number): ResponseInfo {
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

/** Remembers with what response a result or error came. */
export function noteResponse(result: object, info: ResponseInfo): void {
  known.set(result, info);
}

/**
 * Tells with what response a result came: an object, list, page, table, watch (once it has given an event) or
 * `StatusError` of this client. `undefined` for anything else.
 */
export function responseOf(result: object): ResponseInfo | undefined {
  return known.get(result);
}
