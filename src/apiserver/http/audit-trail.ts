import type { Status } from "../../meta/status.js";
import type { UserInfo } from "./user-info.js";

/** The point at which an audit event is recorded: on arrival, when a stream's response starts, at the end, or when the server itself fails. */
export type AuditStage = "RequestReceived" | "ResponseStarted" | "ResponseComplete" | "Panic";

/** What is recorded of one request, as it goes through the chain. */
export interface AuditTrail {
  /** Notes something in the events to come; with `least`, only where bodies of requests are recorded. */
  annotate(key: string, value: string, least?: "Request"): void;
  /** Notes for whom the request is after impersonation, and the verb that allowed it where that is not the old one, which allows everything. */
  impersonated(user: UserInfo, constraint: string): void;
  /** Notes the object that the request holds. */
  requestObject(object: object): void;
  /** Notes the patch that the request holds. */
  requestPatch(bytes: Uint8Array): void;
  /** Notes the answer; `body` where it is to be recorded whole. */
  response(status: Status | undefined, code: number, body: unknown): void;
  /** Makes an event, unless the policy omits the stage. */
  stage(stage: AuditStage): void;
  /** Whether bodies of answers are recorded. */
  readonly wantsResponse: boolean;
}
