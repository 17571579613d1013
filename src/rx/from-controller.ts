import { Observable } from "rxjs";
import type { Controller, ReconcileOutcome } from "../controller/reconcile/controller.js";

/** The outcome of each call of a controller's reconcile from now on. It completes when the controller has stopped, and fails with what it failed with. */
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
