import type { Observable } from "rxjs";
import type { ReconcileRequest } from "../controller/reconcile/reconcile-request.js";
import type { Source } from "../controller/reconcile/source.js";

/**
 * Creates a controller source from an Observable of reconcile requests. An error of the Observable is reported as an
 * error of the source and ends only this source.
 *
 * @example
 * ```ts
 * import { createController } from "kubestream/controller";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { observableSource } from "kubestream/rx";
 * import { interval, map } from "rxjs";
 *
 * const client = await connect();
 * const hourly = interval(3_600_000).pipe(map(() => ({ namespace: "default", name: "settings" })));
 * const controller = createController({
 *   name: "refresh",
 *   for: client.resource(ConfigMap),
 *   watches: [observableSource("hourly refresh", hourly)],
 *   reconcile: ({ name }) => console.log("refreshing", name),
 * });
 * controller.start();
 * ```
 */
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
