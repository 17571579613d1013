import type { Controller } from "../../controller/reconcile/controller.js";
import type { ClusterContext } from "./context.js";

/** Starts a controller with the shared informers. One whose kind the server doesn't serve fails, and the others go on. */
export function startController(context: ClusterContext, controller: Controller): void {
  controller.start({ informers: context.informers });
  controller.done.catch((error: unknown) =>
    context.log({ level: "error", message: "controller failed", controller: controller.name, error }),
  );
}
