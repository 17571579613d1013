import type { Clock } from "../../internal/clock.js";
import type { RequestContext } from "../http/request-context.js";
import type { WebhookCaller } from "../http/webhook-caller.js";
import type { ApiObject } from "../objects/api-object.js";
import type { Authorizer } from "../rbac/authorizer.js";
import type { MvccStore, Version } from "../storage/mvcc.js";
import type { ResourceTable } from "./resource-table.js";
import type { ServedResource } from "./resources.js";

/** A write as admission sees it. */
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

/** One step of admission. It refuses a request by throwing the failure to respond with. */
export interface AdmissionPlugin {
  readonly name: string;
  /** May change the object in place. */
  admit?(attributes: AdmissionAttributes, context: RegistryContext): void | Promise<void>;
  /** Checks the object in the form in which it will be stored. */
  validate?(attributes: AdmissionAttributes, context: RegistryContext): void | Promise<void>;
}

/** Bookkeeping of `metadata.managedFields`, and server-side apply. */
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

/** The part of the Protobuf cache that writes fill. */
export interface WrittenObjects {
  /** Takes the object that is about to be stored under a revision, so that its first reader need not parse it. */
  expect(resource: ServedResource, revision: number, object: ApiObject): void;
  /** Encodes a version ahead of its first reader. */
  warm(resource: ServedResource, version: Version): void;
}

/** Services that the registry and admission need. */
export interface RegistryServices {
  readonly clock: Clock;
  readonly store: MvccStore;
  readonly protobuf: WrittenObjects;
  readonly resources: ResourceTable;
  /** Makes a UID. */
  uuid(): string;
  /** Makes the random part of a generated name. */
  suffix(): string;
  readonly authorizer: Authorizer;
  /** Steps of admission in their order. */
  readonly admission: readonly AdmissionPlugin[];
  /** Calls admission webhooks. */
  readonly callWebhook: WebhookCaller;
  readonly fieldManagement: FieldManagement;
  /** Fires when the server closes. */
  readonly closed: AbortSignal;
}

/** A request as the registry and admission see it. */
export type RegistryContext = RequestContext<RegistryServices>;
