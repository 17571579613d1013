import type { Observable } from "rxjs";
import type { ReconcileRequest } from "../controller/reconcile/reconcile-request.js";
import type { Source } from "../controller/reconcile/source.js";

/** Lets a controller reconcile whatever an Observable asks for. What the Observable fails with is told as an error of the source, and ends it alone. */
export function observableSource(description: string, requests: Observable<ReconcileRequest>): Source {
  return {
    description,
    start({ enqueue, onError }) {
      const subscription = requests.subscribe({ next: (request) => enqueue(request), error: onError });
      return {
        synced: () => Promise.resolve(),
        async stop() {
          subscription.unsubscribe();
        },
      };
    },
  };
}
