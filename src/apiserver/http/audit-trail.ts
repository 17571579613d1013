import type { Status } from "../../meta/status.js";
import type { UserInfo } from "./user-info.js";

/**
 * Point in a request at which an audit event is recorded: on arrival, when a streaming response starts, at the end, or
 * after an internal error.
 */
export type AuditStage = "RequestReceived" | "ResponseStarted" | "ResponseComplete" | "Panic";

/** Audit record of one request, filled in as the request passes through the filters. */
export interface AuditTrail {
  /** Adds an annotation to the following events; with `least`, only if the level includes request bodies. */
  annotate(key: string, value: string, least?: "Request"): void;
  /** Records the impersonated user, and the verb that allowed it if that isn't the unconstrained `impersonate`. */
  impersonated(user: UserInfo, constraint: string): void;
  /** Records the object in the request body. */
  requestObject(object: object): void;
  /** Records the patch in the request body. */
  requestPatch(bytes: Uint8Array): void;
  /** Records the response; `body` is set if it's to be recorded in full. */
  response(status: Status | undefined, code: number, body: unknown): void;
  /** Emits an event, unless the policy omits the stage. */
  stage(stage: AuditStage): void;
  /** True if response bodies are recorded. */
  readonly wantsResponse: boolean;
}
