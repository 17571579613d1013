import type { UserInfo } from "../../http/user-info.js";
import type { ApiObject } from "../../objects/api-object.js";

/** Facts about a request, and services, for the hooks of a kind. */
export interface StrategyContext {
  /** Milliseconds since the epoch, from the server's clock. */
  readonly nowMs: number;
  /** User who sent the request. */
  readonly user?: UserInfo;
  /** The request's verb. */
  readonly verb?: string;
  /**
   * Returns the reason why the user cannot do something else with the resource of the request; `undefined` if it is
   * allowed. Default namespace: the request's.
   */
  denied?(access: {
    readonly verb: string;
    readonly subresource: string;
    readonly namespace?: string;
    readonly name: string;
  }): string | undefined;
  /** Subresource of the request. */
  readonly subresource?: string;
  /** Allocates the address and the node ports of a Service. Throws 422 for those that it cannot have. */
  allocate?(service: ApiObject, old: ApiObject | undefined): void;
  /** Returns a new UID. */
  uuid?(): string;
  /** Returns the labels of a namespace; `undefined` if it does not exist. */
  namespaceLabels?(name: string): Readonly<Record<string, string>> | undefined;
  /** Adds a `Warning` header to the response. */
  warn(text: string): void;
}
