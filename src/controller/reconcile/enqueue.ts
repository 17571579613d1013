import type { Change } from "../../cache/store/change.js";
import { metadataOf } from "../../cache/store/object-key.js";
import type { Kind } from "../../meta/kind.js";
import type { DeepReadonly } from "../../meta/object.js";
import { parseRequestKey, type ReconcileRequest, requestKey } from "./reconcile-request.js";

/** Says whom a change concerns. */
export type EventHandler<T> = (change: Change<T>) => Iterable<ReconcileRequest>;

/** How owners are found. */
export interface EnqueueForOwnerOptions {
  /** Which owners count: the one that is the managing controller, or every one. Default `controller`. */
  readonly match?: "controller" | "every";
}

/** A change concerns the object itself. */
export function enqueueForObject(): EventHandler<unknown> {
  return ({ key }) => [parseRequestKey(key)];
}

/**
 * A change concerns the owners of a kind, those that the object had before it too. Group and kind decide, whatever the
 * version of the reference.
 */
export function enqueueForOwner(
  kind: Pick<Kind, "group" | "kind" | "scope">,
  options: EnqueueForOwnerOptions = {},
): EventHandler<unknown> {
  const every = options.match === "every";
  return enqueueMapped((object) => {
    const { ownerReferences = [], namespace } = metadataOf(object) ?? {};
    const owners = ownerReferences.filter(
      (reference) =>
        reference.kind === kind.kind &&
        getGroup(reference.apiVersion) === kind.group &&
        (every || reference.controller === true),
    );
    return owners.map(({ name }) =>
      kind.scope === "Cluster" || namespace === undefined ? { name } : { namespace, name },
    );
  });
}

/** A change concerns what a function makes of the object, and of the object as it was before; each request once. */
export function enqueueMapped<T>(map: (object: DeepReadonly<T>) => Iterable<ReconcileRequest>): EventHandler<T> {
  return (change) => {
    const requests = new Map<string, ReconcileRequest>();
    for (const object of change.type === "updated" ? [change.old, change.object] : [change.object]) {
      for (const request of map(object)) requests.set(requestKey(request), request);
    }
    return requests.values();
  };
}

/** The group of an `apiVersion`. */
export function getGroup(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}
