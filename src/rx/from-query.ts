import { Observable } from "rxjs";
import type { JoinChange, JoinOptions } from "../cache/combine/join.js";
import { joinInformers } from "../cache/combine/join.js";
import { filterChange } from "../cache/informer/change-filter.js";
import type { HandlerOptions, Informer } from "../cache/informer/informer.js";
import type { Change } from "../cache/store/change.js";
import type { StoreQuery } from "../cache/store/store-query.js";
import { compileQuery } from "../cache/store/store-query.js";
import type { DeepReadonly } from "../meta/object.js";
import { fromInformer } from "./from-informer.js";

/**
 * Emits the changes of the objects that match a query: `added` when an object starts to match, `deleted` when it stops.
 * It filters on the client and sends no request of its own. Throws a `TypeError` for invalid selectors.
 *
 * @example
 * ```ts
 * import { createInformer } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { fromQuery } from "kubestream/rx";
 *
 * const client = await connect();
 * const pods = createInformer(client.resource(Pod));
 * fromQuery(pods, { namespace: "web", fieldSelector: "status.phase=Running" }).subscribe((change) =>
 *   console.log(change.type === "deleted" ? "stopped" : "running", change.key),
 * );
 * ```
 */
export function fromQuery<T>(
  informer: Informer<T>,
  query: StoreQuery,
  options: HandlerOptions = {},
): Observable<Change<T>> {
  const { matches } = compileQuery<DeepReadonly<T>>(query);
  return new Observable((subscriber) =>
    fromInformer(informer, options).subscribe({
      next(change) {
        const seen = filterChange(change, matches);
        if (seen !== undefined) subscriber.next(seen);
      },
      error: (error) => subscriber.error(error),
      complete: () => subscriber.complete(),
    }),
  );
}

/**
 * Emits one object by its key (`namespace/name`): its state once the informer is synced, then each new state, and
 * `undefined` while it doesn't exist.
 *
 * @example
 * ```ts
 * import { createInformer } from "kubestream/cache";
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 * import { fromObject } from "kubestream/rx";
 *
 * const client = await connect();
 * fromObject(createInformer(client.resource(Deployment)), "web/shop").subscribe((deployment) =>
 *   console.log(deployment?.status?.readyReplicas ?? "not found"),
 * );
 * ```
 */
export function fromObject<T>(informer: Informer<T>, key: string): Observable<DeepReadonly<T> | undefined> {
  return new Observable((subscriber) => {
    let emitted: { readonly object: DeepReadonly<T> | undefined } | undefined;
    const emit = (): void => {
      if (!informer.hasSynced) return;
      const object = informer.store.get(key);
      if (emitted !== undefined && emitted.object === object) return;
      emitted = { object };
      subscriber.next(object);
    };
    const statuses = informer.onStatus(({ type }) => {
      if (type === "synced") emit();
    });
    subscriber.add(() => statuses.remove());
    subscriber.add(
      fromInformer(informer, { replay: false }).subscribe({
        next(change) {
          if (change.key === key) emit();
        },
        complete: () => subscriber.complete(),
      }),
    );
    emit();
  });
}

/**
 * Emits each object of the left informer with the matching objects of the right one; see `joinInformers`. It completes
 * when either informer is closed.
 *
 * @example
 * ```ts
 * import { createInformer } from "kubestream/cache";
 * import { Node, Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { fromJoin } from "kubestream/rx";
 *
 * const client = await connect();
 * fromJoin(createInformer(client.resource(Pod)), createInformer(client.resource(Node)), {
 *   name: "node",
 *   left: (pod) => [pod.spec?.nodeName ?? ""],
 *   right: (node) => [node.metadata?.name ?? ""],
 * }).subscribe(({ type, key, right }) => console.log(type, key, right[0]?.metadata?.name));
 * ```
 */
export function fromJoin<L, R>(
  left: Informer<L>,
  right: Informer<R>,
  options: JoinOptions<L, R>,
): Observable<JoinChange<L, R>> {
  return new Observable((subscriber) => {
    for (const informer of [left, right]) {
      const statuses = informer.onStatus(({ type }) => {
        if (type === "closed") subscriber.complete();
      });
      subscriber.add(() => statuses.remove());
      if (informer.status.type === "closed") {
        subscriber.complete();
        return;
      }
    }
    const join = joinInformers(left, right, options, (change) => subscriber.next(change));
    subscriber.add(() => join.remove());
  });
}
