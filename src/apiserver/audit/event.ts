import type { Status, StatusDetails } from "../../meta/status.js";
import type { AuditStage } from "../http/audit-trail.js";

/** Amount of data to record about a request. */
export type AuditLevel = "None" | "Metadata" | "Request" | "RequestResponse";

/** A user in an audit event. */
export interface AuditUser {
  /** User name. */
  readonly username?: string | undefined;
  /** Identifier that survives renames. */
  readonly uid?: string | undefined;
  /** Groups of the user. */
  readonly groups?: readonly string[] | undefined;
  /** Additional attributes from the authenticator. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Target of a request in an audit event. */
export interface AuditObjectReference {
  /** Plural name, such as `pods`. */
  readonly resource?: string | undefined;
  /** Namespace of the object. */
  readonly namespace?: string | undefined;
  /** Name of the object. */
  readonly name?: string | undefined;
  /** UID from the request. */
  readonly uid?: string | undefined;
  /** API group; missing for the core group. */
  readonly apiGroup?: string | undefined;
  /** API version without the group. */
  readonly apiVersion?: string | undefined;
  /** Resource version from the request. */
  readonly resourceVersion?: string | undefined;
  /** Subresource, such as `status`. */
  readonly subresource?: string | undefined;
}

/** Outcome of a request in an audit event. */
export interface AuditResponseStatus {
  /** Always empty. */
  readonly metadata: object;
  /** `Success` or `Failure`, if the response is a Status. */
  readonly status?: Status["status"] | undefined;
  /** Message of the Status. */
  readonly message?: string | undefined;
  /** Reason of the Status. */
  readonly reason?: string | undefined;
  /** Details of the Status. */
  readonly details?: StatusDetails | undefined;
  /** HTTP status code. */
  readonly code?: number | undefined;
}

/**
 * One entry of the audit log.
 * @see https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/
 */
export interface AuditEvent {
  /** Always `Event`. */
  readonly kind: "Event";
  /** Always `audit.k8s.io/v1`. */
  readonly apiVersion: "audit.k8s.io/v1";
  /** Level at which the event was recorded. */
  readonly level: AuditLevel;
  /** Identifies the request: the same in all its events and in the response's `Audit-Id` header. */
  readonly auditID: string;
  /** Stage at which the event was recorded. */
  readonly stage: AuditStage;
  /** Path and query as sent. */
  readonly requestURI: string;
  /** Verb, such as `get`; for non-resource requests the method in lower case. */
  readonly verb: string;
  /** Authenticated user; empty if authentication failed. */
  readonly user: AuditUser;
  /** Impersonated user, if any. */
  readonly impersonatedUser?: AuditUser | undefined;
  /**
   * Details about authentication. `impersonationConstraint` is the constrained-impersonation verb that allowed the
   * request.
   */
  readonly authenticationMetadata?: { readonly impersonationConstraint: string } | undefined;
  /** Addresses of the client and of the proxies in between, the farthest first. */
  readonly sourceIPs?: readonly string[] | undefined;
  /** User agent of the client, truncated to 1,024 characters. */
  readonly userAgent?: string | undefined;
  /** Target of the request; missing for non-resource requests. */
  readonly objectRef?: AuditObjectReference | undefined;
  /** Outcome; missing before there is a response. */
  readonly responseStatus?: AuditResponseStatus | undefined;
  /** Request body, at level `Request` and above. */
  readonly requestObject?: unknown;
  /** Response body, at level `RequestResponse`. */
  readonly responseObject?: unknown;
  /** Time of arrival, RFC 3339 with microseconds. */
  readonly requestReceivedTimestamp: string;
  /** Time at which the stage was reached, RFC 3339 with microseconds. */
  readonly stageTimestamp: string;
  /** Annotations set while the request was processed, such as `authorization.k8s.io/decision`. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** Callback that receives audit events in order. It must not throw. */
export type AuditSink = (event: AuditEvent) => void;
