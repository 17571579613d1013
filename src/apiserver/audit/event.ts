import type { Status, StatusDetails } from "../../meta/status.js";
import type { AuditStage } from "../http/audit-trail.js";

/** How much of a request is recorded. */
export type AuditLevel = "None" | "Metadata" | "Request" | "RequestResponse";

/** A user as events name it. */
export interface AuditUser {
  /** Name. */
  readonly username?: string;
  /** Identity that outlives the name. */
  readonly uid?: string;
  /** Groups that the user is in. */
  readonly groups?: readonly string[];
  /** What else was said of the user. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What a request is about. */
export interface AuditObjectReference {
  /** Plural name, as `pods`. */
  readonly resource?: string;
  /** Namespace of the object. */
  readonly namespace?: string;
  /** Name of the object. */
  readonly name?: string;
  /** UID that the request named. */
  readonly uid?: string;
  /** Group; absent for the core group. */
  readonly apiGroup?: string;
  /** Version, without the group. */
  readonly apiVersion?: string;
  /** Version that the request named. */
  readonly resourceVersion?: string;
  /** Subresource, as `status`. */
  readonly subresource?: string;
}

/** The answer in short. */
export interface AuditResponseStatus {
  /** Always empty. */
  readonly metadata: object;
  /** `Success` or `Failure`, where the answer is a Status. */
  readonly status?: Status["status"];
  /** Text of the Status. */
  readonly message?: string;
  /** Reason of the Status. */
  readonly reason?: string;
  /** Details of the Status. */
  readonly details?: StatusDetails;
  /** HTTP status code. */
  readonly code?: number;
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
  /** How much was recorded. */
  readonly level: AuditLevel;
  /** The same in all events of a request, and in the answer's `Audit-Id` header. */
  readonly auditID: string;
  /** When it was made. */
  readonly stage: AuditStage;
  /** Path and query as they were sent. */
  readonly requestURI: string;
  /** What was to be done, as `get`; the method in lower case where no resource is asked for. */
  readonly verb: string;
  /** Who asked; empty where nobody could be identified. */
  readonly user: AuditUser;
  /** For whom, if for somebody else. */
  readonly impersonatedUser?: AuditUser;
  /** How it was found out who asks; `impersonationConstraint` is the verb that allowed to ask for somebody else within limits. */
  readonly authenticationMetadata?: { readonly impersonationConstraint: string };
  /** Addresses of the client and of proxies between, the farthest first. */
  readonly sourceIPs?: readonly string[];
  /** Program of the client, cut after 1,024 characters. */
  readonly userAgent?: string;
  /** Absent for requests that are about no resource. */
  readonly objectRef?: AuditObjectReference;
  /** The answer in short; absent before there is one. */
  readonly responseStatus?: AuditResponseStatus;
  /** Body of the request, from level `Request` on. */
  readonly requestObject?: unknown;
  /** Body of the answer, at level `RequestResponse`. */
  readonly responseObject?: unknown;
  /** When the request came, RFC 3339 with microseconds. */
  readonly requestReceivedTimestamp: string;
  /** When the stage was reached, RFC 3339 with microseconds. */
  readonly stageTimestamp: string;
  /** What steps of the chain noted, as `authorization.k8s.io/decision`. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Takes events as they are made, in order; must not throw. */
export type AuditSink = (event: AuditEvent) => void;
