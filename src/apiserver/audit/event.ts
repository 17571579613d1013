import type { Status, StatusDetails } from "../../meta/status.js";

/** How much of a request is recorded. */
export type AuditLevel = "None" | "Metadata" | "Request" | "RequestResponse";

/** When an event was made: as the request came, when the answer of a stream began, when all was done, or when the server itself failed. */
export type AuditStage = "RequestReceived" | "ResponseStarted" | "ResponseComplete" | "Panic";

/** A user as events name it. */
export interface AuditUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What a request is about. */
export interface AuditObjectReference {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

/** The answer in short. */
export interface AuditResponseStatus {
  readonly metadata: object;
  readonly status?: Status["status"];
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/**
 * One entry of the audit log.
 * @see https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/
 */
export interface AuditEvent {
  readonly kind: "Event";
  readonly apiVersion: "audit.k8s.io/v1";
  readonly level: AuditLevel;
  /** The same in all events of a request, and in the answer's `Audit-Id` header. */
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  /** Absent for requests that are about no resource. */
  readonly objectRef?: AuditObjectReference;
  readonly responseStatus?: AuditResponseStatus;
  /** Body of the request, from level `Request` on. */
  readonly requestObject?: unknown;
  /** Body of the answer, at level `RequestResponse`. */
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  /** What steps of the chain noted, as `authorization.k8s.io/decision`. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Takes events as they are made, in order; must not throw. */
export type AuditSink = (event: AuditEvent) => void;
