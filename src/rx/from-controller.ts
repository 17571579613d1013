import { Observable } from "rxjs";
import type { Controller, ReconcileOutcome } from "../controller/reconcile/controller.js";

/**
 * Emits the outcome of each reconcile from now on. It completes when the controller has stopped, and fails if the
 * controller fails.
 *
 * @example
 * ```ts
 * import { createController } from "kubestream/controller";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { fromReconciles } from "kubestream/rx";
 * import { filter } from "rxjs";
 *
 * const client = await connect();
 * const controller = createController({ name: "copy", for: client.resource(ConfigMap), reconcile: () => undefined });
 * fromReconciles(controller)
 *   .pipe(filter(({ result }) => result === "error"))
 *   .subscribe(({ request, error }) => console.error(request.name, error));
 * ```
 */
export function fromReconciles(controller: Pick<Controller, "onReconcile" | "done">): Observable<ReconcileOutcome> {
  return new Observable((subscriber) => {
    const registration = controller.onReconcile((outcome) => subscriber.next(outcome));
    subscriber.add(() => registration.remove());
    controller.done.then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    );
  });
}
