import { Observable } from "rxjs";
import type { HandlerOptions, Informer } from "../cache/informer/informer.js";
import type { InformerStatus } from "../cache/informer/informer-status.js";
import type { Change } from "../cache/store/change.js";

/**
 * Emits the changes of an informer, starting with the current objects as `added`. Subscribing starts the informer; when
 * the last subscriber leaves, its connection closes. It completes when the informer is closed and never fails: the
 * informer retries failures and shows them in its status.
 *
 * @example
 * ```ts
 * import { createInformer } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { fromInformer } from "kubestream/rx";
 * import { filter, map } from "rxjs";
 *
 * const client = await connect();
 * fromInformer(createInformer(client.resource(Pod)))
 *   .pipe(
 *     filter((change) => change.type === "deleted"),
 *     map((change) => change.key),
 *   )
 *   .subscribe((key) => console.log("deleted", key));
 * ```
 */
export function fromInformer<T>(informer: Informer<T>, options: HandlerOptions = {}): Observable<Change<T>> {
  return new Observable((subscriber) => {
    // Subscribed first, so that a replay handler that closes the informer still completes the subscriber.
    const closing = informer.onStatus((status) => {
      if (status.type === "closed") subscriber.complete();
    });
    subscriber.add(() => closing.remove());
    if (informer.status.type === "closed") {
      subscriber.complete();
      return;
    }
    const registration = informer.addHandler((change) => subscriber.next(change), options);
    subscriber.add(() => registration.remove());
  });
}

/**
 * Emits the status of an informer, starting with the current one. It doesn't start the informer, and completes when the
 * informer is closed.
 */
export function fromInformerStatus<T>(informer: Informer<T>): Observable<InformerStatus> {
  return new Observable((subscriber) => {
    const show = (status: InformerStatus): void => {
      subscriber.next(status);
      if (status.type === "closed") subscriber.complete();
    };
    const handler = informer.onStatus(show);
    subscriber.add(() => handler.remove());
    show(informer.status);
  });
}
