import type { Warning } from "../../meta/options.js";
import type { ResponseHeaders, TransportResponse } from "../../transport/transport.js";
import { parseWarnings } from "./warnings.js";

/** Status, headers and warnings of the response behind a result. */
export interface ResponseInfo {
  /** HTTP status code, such as 201 for a created and 200 for an updated object. */
  readonly status: number;
  /** All headers. */
  readonly headers: ResponseHeaders;
  /** Warnings from the server. */
  readonly warnings: readonly Warning[];
  /** UID of the FlowSchema that classified the request; absent if the server didn't send it. */
  readonly flowSchemaUid?: string | undefined;
  /** UID of the PriorityLevelConfiguration that the request ran under; absent if the server didn't send it. */
  readonly priorityLevelUid?: string | undefined;
  /** Identifier of the request in the server's audit log; absent if the server didn't send it. */
  readonly auditId?: string | undefined;
  /** Number of times the request was sent; 1 without a retry. */
  readonly attempts: number;
}

export function readResponseInfo(response: TransportResponse, attempts: number): ResponseInfo {
  const { headers } = response;
  const warning = headers.get("warning");
  return {
    status: response.status,
    headers,
    warnings: warning === null ? none : parseWarnings(warning),
    flowSchemaUid: headers.get("x-kubernetes-pf-flowschema-uid") ?? undefined,
    priorityLevelUid: headers.get("x-kubernetes-pf-prioritylevel-uid") ?? undefined,
    auditId: headers.get("audit-id") ?? undefined,
    attempts,
  };
}

const none: readonly Warning[] = [];
const known = new WeakMap<object, ResponseInfo>();

/** Records the response behind a result or an error for `getResponseInfo`. */
export function noteResponse(result: object, info: ResponseInfo): void {
  known.set(result, info);
}

/**
 * Returns the response behind a result: status, headers, warnings, audit ID.
 *
 * `result` is an object, list, page, table, watch (after its first event) or `StatusError` that a client returned or
 * threw. Returns `undefined` for anything else, such as a copy of a result.
 *
 * @example
 * ```ts
 * import { getResponseInfo } from "kubestream";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect({ fieldManager: "deployer" });
 * const configMaps = client.resource(ConfigMap).namespace("web");
 * const applied = await configMaps.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "app" }, data: { mode: "a" } });
 * const info = getResponseInfo(applied);
 * console.log(info?.status === 201 ? "created" : "configured", info?.warnings, info?.auditId);
 * ```
 */
export function getResponseInfo(result: object): ResponseInfo | undefined {
  return known.get(result);
}
