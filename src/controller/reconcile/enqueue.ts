import type { Change } from "../../cache/store/change.js";
import { metadataOf } from "../../cache/store/object-key.js";
import { type Kind, parseApiVersion } from "../../meta/kind.js";
import type { DeepReadonly } from "../../meta/object.js";
import { parseRequestKey, type ReconcileRequest, requestKey } from "./reconcile-request.js";

/** Maps a change to the requests that it enqueues. */
export type EventHandler<T> = (change: Change<T>) => Iterable<ReconcileRequest>;

/** Options for `enqueueForOwner`. */
export interface EnqueueForOwnerOptions {
  /** Owner references to follow: only the managing controller, or every one. Default `controller`. */
  readonly match?: "controller" | "every" | undefined;
}

/** Returns a handler that enqueues the changed object itself. */
export function enqueueForObject(): EventHandler<unknown> {
  return ({ key }) => [parseRequestKey(key)];
}

/**
 * Returns a handler that enqueues the owners of the changed object, including owners that it had before the change. An
 * owner matches by group and kind; the version in the reference is ignored.
 *
 * @example
 * ```ts
 * import { enqueueForOwner, kindSource } from "kubestream/controller";
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const pods = kindSource(client.resource(Pod), enqueueForOwner(Deployment, { match: "every" }));
 * console.log(pods.description);
 * ```
 */
export function enqueueForOwner(
  kind: Pick<Kind, "group" | "kind" | "scope">,
  options: EnqueueForOwnerOptions = {},
): EventHandler<unknown> {
  const every = options.match === "every";
  return enqueueMapped((object) => {
    const { ownerReferences = [], namespace } = metadataOf(object) ?? {};
    // A namespaced object can't own a cluster-scoped one.
    if (kind.scope === "Namespaced" && namespace === undefined) return [];
    const owners = ownerReferences.filter(
      (reference) =>
        reference.kind === kind.kind &&
        parseApiVersion(reference.apiVersion).group === kind.group &&
        (every || reference.controller === true),
    );
    return owners.map(({ name }) => (kind.scope === "Cluster" ? { name } : { namespace, name }));
  });
}

/**
 * Returns a handler that enqueues the requests that a function returns for the changed object and for its previous
 * state, without duplicates.
 *
 * @example
 * ```ts
 * import { createController, enqueueMapped, kindSource } from "kubestream/controller";
 * import { ConfigMap, Namespace } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const controller = createController({
 *   name: "quota",
 *   for: client.resource(Namespace),
 *   watches: [kindSource(client.resource(ConfigMap), enqueueMapped(({ metadata }) => [{ name: metadata!.namespace! }]))],
 *   reconcile: ({ name }) => console.log("checking", name),
 * });
 * controller.start();
 * ```
 */
export function enqueueMapped<T>(map: (object: DeepReadonly<T>) => Iterable<ReconcileRequest>): EventHandler<T> {
  return (change) => {
    const requests = new Map<string, ReconcileRequest>();
    for (const object of change.type === "updated" ? [change.old, change.object] : [change.object]) {
      for (const request of requestsOf(map(object))) requests.set(requestKey(request), request);
    }
    return requests.values();
  };
}

/** Checks the result of a handler: an async handler is an error, and its rejection must not end the process. */
export function requestsOf(result: unknown): Iterable<ReconcileRequest> {
  if (!(result instanceof Promise)) return result as Iterable<ReconcileRequest>;
  result.catch(() => undefined);
  throw new TypeError("a handler must return its requests, not a promise");
}
