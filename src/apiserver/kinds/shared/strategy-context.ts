import type { UserInfo } from "../../http/user-info.js";
import type { ApiObject } from "../../objects/api-object.js";

/** Request data and services for the hooks of a kind. */
export interface StrategyContext {
  /** Milliseconds since the epoch, from the server's clock. */
  readonly nowMs: number;
  /** User who sent the request. */
  readonly user?: UserInfo | undefined;
  /** The request's verb. */
  readonly verb?: string | undefined;
  /**
   * Returns the reason why the user isn't allowed to do something else with the request's resource; `undefined` if it
   * is allowed. Default namespace: the request's.
   */
  denied?(access: {
    readonly verb: string;
    readonly subresource: string;
    readonly namespace?: string | undefined;
    readonly name: string;
  }): string | undefined;
  /** Subresource of the request. */
  readonly subresource?: string | undefined;
  /** Allocates address and node ports of a Service and reserves them until `release`. Throws 422 for unavailable values. */
  allocate?(service: ApiObject, old: ApiObject | undefined): void;
  /** Called when the write is over. */
  release?(): void;
  /** Returns a new UID. */
  uuid?(): string;
  /** Returns the labels of a namespace; `undefined` if it doesn't exist. */
  namespaceLabels?(name: string): Readonly<Record<string, string>> | undefined;
  /** Adds a `Warning` header to the response. */
  warn(text: string): void;
}
