import type { AuditTrail } from "./audit-trail.js";
import type { ServerRequest } from "./http.js";
import type { RequestInfo } from "./request-info.js";
import type { UserInfo } from "./user-info.js";

/** One request on its way through the filters. Each folder declares the services it needs as `Services`. */
export interface RequestContext<Services = unknown> {
  readonly services: Services;
  readonly request: ServerRequest;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  /** Authenticated user; after impersonation, the impersonated one. */
  user: UserInfo;
  /** WebSocket subprotocols left over after the one that carried the token was removed. */
  subprotocols?: readonly string[];
  /**
   * Returns a signal that aborts when the client disconnects, the deadline passes or the server closes. Filters replace
   * the function, so that no signal is created before it is read.
   */
  signal: () => AbortSignal;
  readonly warnings: string[];
  /** Audit record of the request; missing if the request isn't audited. */
  audit?: AuditTrail;
  /** True once the request has passed all filters. */
  dispatched?: boolean;
  /** Least size of the request's object, if etcd can't take it. The object was shortened and must not be stored. */
  unstorableBytes?: number | undefined;
  /** Reports that a watch has sent its initial state. */
  initialized?: () => void;
  /** Headers to add to every response of this request. */
  readonly headers: [string, string][];
  /** Time of arrival in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Adds a warning, unless it was added before. */
  warn(text: string): void;
}
