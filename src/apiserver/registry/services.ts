import type { Clock } from "../../internal/clock.js";
import type { RequestContext } from "../http/request-context.js";
import type { FindService } from "../http/service-resolver.js";
import type { WebhookCaller } from "../http/webhook-caller.js";
import type { ApiObject } from "../objects/api-object.js";
import type { Authorizer } from "../rbac/authorizer.js";
import type { Version } from "../storage/bucket.js";
import type { MvccStore } from "../storage/mvcc.js";
import type { ResourceTable } from "./resource-table.js";
import type { ServedResource, StoredForm } from "./resources.js";

/** A write request, as admission plugins see it. */
export interface AdmissionAttributes {
  /** Kind of write. */
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  /** Resource in the version of the request. */
  readonly resource: ServedResource;
  /** Subresource, such as `status`; `""` for the object itself. */
  readonly subresource: string;
  /** Namespace of the object; `""` if it is cluster-scoped. */
  readonly namespace: string;
  /** Name of the object; `""` if it isn't known yet. */
  readonly name: string;
  /** The new object; `undefined` for a deletion. */
  readonly object: ApiObject | undefined;
  /** The stored object; `undefined` for a creation. */
  readonly old: ApiObject | undefined;
  /** True if nothing will be stored. */
  readonly dryRun: boolean;
  /** Options of the request, as an object with `kind` and `apiVersion`. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * An admission plugin. It refuses a request by throwing; an error that isn't an API failure becomes a 500. A result other
 * than `undefined` is a 500, too: `false` must not let a request through.
 */
export interface AdmissionPlugin {
  /** Name of the plugin. */
  readonly name: string;
  /** Mutating phase: may change the object in place. */
  admit?(attributes: AdmissionAttributes, context: RegistryContext): void | Promise<void>;
  /** Validating phase: checks the object in the form that will be stored. */
  validate?(attributes: AdmissionAttributes, context: RegistryContext): void | Promise<void>;
}

/** Maintains `metadata.managedFields` and implements server-side apply. */
export interface FieldManagement {
  /** Updates `managedFields` in place for a write other than an apply. */
  update(write: {
    resource: ServedResource;
    live: ApiObject | undefined;
    object: ApiObject;
    manager: string;
    subresource: string;
    nowMs: number;
    /** Bytes that the managers may take. The object gets none if they take more. Default: any number. */
    room?: number | undefined;
  }): void | Promise<void>;
  /**
   * Merges a configuration into an object without recording ownership, as mutating admission policies do. Throws a
   * `MergeError` if they don't fit together.
   */
  merge(write: { resource: ServedResource; live: ApiObject; config: ApiObject }): ApiObject;
  /** Applies a configuration to the live object and returns the result. Rejects with the failure to respond with. */
  apply(write: {
    resource: ServedResource;
    live: ApiObject | undefined;
    config: ApiObject;
    manager: string;
    force: boolean;
    subresource: string;
    nowMs: number;
    /**
     * Returns the result for a valid configuration that can't be stored, so that its fields need no owners; `undefined`
     * for others. Default: none.
     */
    unstorable?: (config: ApiObject) => ApiObject | undefined;
  }): Promise<ApiObject>;
}

/** The part of the Protobuf cache that writes fill. */
export interface WrittenObjects {
  /** Returns true once a reader has requested objects of the resource in Protobuf. Before that, writes don't fill the cache. */
  wants(resource: ServedResource): boolean;
  /** Returns the size of an object in Protobuf. */
  size(resource: ServedResource, form: StoredForm): number;
  /** Encodes a version before its first reader needs it. */
  warm(resource: ServedResource, version: Version): void;
}

/** Services that the registry and admission need. */
export interface RegistryServices {
  readonly clock: Clock;
  readonly store: MvccStore;
  readonly protobuf: WrittenObjects;
  readonly resources: ResourceTable;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
  uuid(): string;
  /** Returns the random part of a generated name. */
  suffix(): string;
  readonly authorizer: Authorizer;
  /** Admission plugins in order. */
  readonly admission: readonly AdmissionPlugin[];
  readonly callWebhook: WebhookCaller;
  /** Finds the programs behind Services. */
  readonly findService: FindService;
  readonly fieldManagement: FieldManagement;
  /** Aborts when the server closes. */
  readonly closed: AbortSignal;
}

/** A request with the services that the registry and admission need. */
export type RegistryContext = RequestContext<RegistryServices>;
