/** What a reconcile is asked to look at: the name of an object, never what happened to it. */
export interface ReconcileRequest {
  /** Namespace of the object; absent for objects of the cluster. */
  readonly namespace?: string;
  /** Name of the object. */
  readonly name: string;
}

/** The request as a text: `namespace/name`, or `name` for objects of the cluster. The keys of stores are the same. */
export function requestKey(request: ReconcileRequest): string {
  return request.namespace === undefined || request.namespace === ""
    ? request.name
    : `${request.namespace}/${request.name}`;
}

/** The request of a store's key. */
export function parseRequestKey(key: string): ReconcileRequest {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
