import type { Scope } from "../../meta/kind.js";
import type { AddOptions } from "../queue/work-queue.js";

/** Request to reconcile an object. It names the object and doesn't say what happened to it. */
export interface ReconcileRequest {
  /** Namespace of the object; absent for cluster-scoped objects. */
  readonly namespace?: string | undefined;
  /** Name of the object. */
  readonly name: string;
}

/** Request to reconcile an object of a namespaced kind. */
export interface NamespacedRequest extends ReconcileRequest {
  /** Namespace of the object. */
  readonly namespace: string;
}

/** Options for enqueueing a request. */
export interface EnqueueOptions extends AddOptions {
  /**
   * Delay in milliseconds after which the request is reconciled. If it is already delayed, the earlier time counts, also
   * if that is the time of a retry. Default 0.
   */
  readonly delayMs?: number | undefined;
}

/** Type of the requests of a controller, determined by the scope of its own kind. */
export type RequestOf<S extends Scope> = [S] extends ["Namespaced"] ? NamespacedRequest : ReconcileRequest;

/**
 * Returns a request as a string: `namespace/name`, or `name` for cluster-scoped objects. Store keys have the same
 * format.
 */
export function requestKey(request: ReconcileRequest): string {
  return request.namespace === undefined || request.namespace === ""
    ? request.name
    : `${request.namespace}/${request.name}`;
}

/** Returns the request for a store key. */
export function parseRequestKey(key: string): ReconcileRequest {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
