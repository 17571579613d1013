import { Observable } from "rxjs";
import type { HandlerOptions, Informer } from "../cache/informer/informer.js";
import type { InformerStatus } from "../cache/informer/informer-status.js";
import type { Change } from "../cache/store/change.js";

/**
 * The changes of an informer, the present first as `added`. Subscribing starts the informer, unsubscribing the last
 * subscriber closes its connection. It completes when the informer is closed, and never fails: failures are overcome
 * below and seen in the status.
 */
export function fromInformer<T>(informer: Informer<T>, options: HandlerOptions = {}): Observable<Change<T>> {
  return new Observable((subscriber) => {
    // First this, so that an informer closed by a handler of the replay completes the subscriber.
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

/** The status of an informer, the present one first. It does not start the informer and completes when that is closed. */
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
