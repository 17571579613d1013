import type { AuditTrail } from "./audit-trail.js";
import type { ServerRequest } from "./http.js";
import type { RequestInfo } from "./request-info.js";
import type { UserInfo } from "./user-info.js";

/** One request on its way through the chain. Each room names the services that it needs as `Services`. */
export interface RequestContext<Services = unknown> {
  readonly services: Services;
  readonly request: ServerRequest;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  /** The authenticated user; after impersonation, the impersonated one. */
  user: UserInfo;
  /** The remaining WebSocket subprotocols where one of them carried the token. */
  subprotocols?: readonly string[];
  /** Fires when the client is gone, the deadline has passed or the server closes. */
  signal: AbortSignal;
  /** Warnings collected so far. */
  readonly warnings: string[];
  /** Audit record of the request; absent where nothing is recorded. */
  audit?: AuditTrail;
  /** True once the request has passed all filters. */
  dispatched?: boolean;
  /** Headers that every response to this request gets. */
  readonly headers: [string, string][];
  /** Time of arrival in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Adds a warning once. */
  warn(text: string): void;
}
