import type { Clock } from "../internal/clock.js";
import type { AuditTrail } from "./audit/event.js";
import type { ServiceAccountTokens } from "./authentication/service-account-tokens.js";
import type { HealthCounts } from "./discovery/health-counts.js";
import type { FlowControl } from "./flowcontrol/flow-control.js";
import type { ServerRequest } from "./http/http.js";
import type { RequestInfo } from "./http/request-info.js";
import type { TokenAuthenticator, UserInfo } from "./http/user-info.js";
import type { WebhookCaller } from "./http/webhook-caller.js";
import type { ApiObject } from "./objects/api-object.js";
import type { Authorizer } from "./rbac/authorizer.js";
import type { ResourceTable, ServedResource } from "./registry/resources.js";
import type { MvccStore } from "./storage/mvcc.js";
import type { ProtobufCache } from "./wire/protobuf-cache.js";

export type { UserInfo } from "./http/user-info.js";

/** What a write does, as admission sees it. */
export interface AdmissionAttributes {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly resource: ServedResource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The new object; absent for a deletion. */
  readonly object: ApiObject | undefined;
  /** The stored object; absent for a creation. */
  readonly old: ApiObject | undefined;
  readonly dryRun: boolean;
  /** The options of the request, as an object with `kind` and `apiVersion`. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** One step of admission. It throws what the request is answered with. */
export interface AdmissionPlugin {
  readonly name: string;
  /** May change the object in place. */
  admit?(attributes: AdmissionAttributes, context: RequestContext): void | Promise<void>;
  /** Sees the object as it will be stored. */
  validate?(attributes: AdmissionAttributes, context: RequestContext): void | Promise<void>;
}

/** What keeps `metadata.managedFields` and does server-side apply. */
export interface FieldManagement {
  /** Sets `managedFields` of an object that is about to be stored by anything but an apply. Works in place. */
  update(write: {
    resource: ServedResource;
    live: ApiObject | undefined;
    object: ApiObject;
    manager: string;
    subresource: string;
    nowMs: number;
  }): Promise<void>;
  /** The object with a configuration merged into it, as policies do: nobody comes to own the fields. Throws a `MergeError` where they do not go together. */
  merge(write: { resource: ServedResource; live: ApiObject; config: ApiObject }): ApiObject;
  /** The object that an apply makes of the live one. Rejects with the failure to answer with. */
  apply(write: {
    resource: ServedResource;
    live: ApiObject | undefined;
    config: ApiObject;
    manager: string;
    force: boolean;
    subresource: string;
    nowMs: number;
  }): Promise<ApiObject>;
}

/** What all parts of the server share. */
export interface Core {
  readonly clock: Clock;
  readonly store: MvccStore;
  /** What is stored, as Protobuf. */
  readonly protobuf: ProtobufCache;
  readonly resources: ResourceTable;
  /** Makes a UID. */
  uuid(): string;
  /** Makes the random part of a generated name. */
  suffix(): string;
  /** Decides who may do what. */
  readonly authorizer: Authorizer;
  /** Find the users of tokens. */
  readonly tokens: readonly TokenAuthenticator[];
  /** Tokens given out to service accounts. */
  readonly serviceAccounts: ServiceAccountTokens;
  /** Who may use how many seats of the server. */
  readonly flowControl: FlowControl;
  /** Whether any controller of the controller manager runs beside the server. */
  readonly controllersRun: boolean;
  /** How the server was set up, as flags of a kube-apiserver. */
  readonly flags: Readonly<Record<string, string>>;
  /** How often the checks of the server's health were made. */
  readonly healthCounts: HealthCounts;
  /** Calls admission and conversion webhooks. */
  readonly callWebhook: WebhookCaller;
  /** Steps of admission in their order. */
  readonly admission: AdmissionPlugin[];
  /** Absent: objects have no managed fields and cannot be applied. */
  fieldManagement?: FieldManagement | undefined;
  /** Told what went wrong where no request is there to be answered. */
  readonly reportError: (error: unknown) => void;
  /** Fires when the server closes. */
  readonly closed: AbortSignal;
}

/** One request on its way through the chain. */
export interface RequestContext {
  readonly core: Core;
  readonly request: ServerRequest;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  /** Who is asking; after impersonation, who is asked for. */
  user: UserInfo;
  /** What is left of a WebSocket's subprotocols where one of them was the token. */
  subprotocols?: readonly string[];
  /** Fires when the client is gone, the deadline has passed or the server closes. */
  signal: AbortSignal;
  /** Warnings collected so far. */
  readonly warnings: string[];
  /** Record of the request for the audit log; absent where nothing is recorded. */
  audit?: AuditTrail;
  /** Whether the request has passed all filters. */
  dispatched?: boolean;
  /** Headers that every answer to this request gets. */
  readonly headers: [string, string][];
  /** Milliseconds since the epoch when the request came. */
  readonly nowMs: number;
  /** Adds a warning once. */
  warn(text: string): void;
}
