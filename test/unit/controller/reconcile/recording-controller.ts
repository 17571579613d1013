import type { ControllerOptions, ReconcileOutcome } from "../../../../src/controller/reconcile/controller.js";
import type { LogEntry } from "../../../../src/controller/reconcile/controller-log.js";
import { createController } from "../../../../src/controller/reconcile/create-controller.js";
import { requestKey } from "../../../../src/controller/reconcile/reconcile-request.js";
import { ConfigMap } from "../../../../src/kinds/core/v1.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";
import { openWorld } from "../world.js";

/** Creates a controller for the ConfigMaps in "default" that records its calls. */
export function begin(world: ReturnType<typeof openWorld>, options: Partial<ControllerOptions<ConfigMap>> = {}) {
  const clock = createVirtualClock();
  const calls: string[] = [];
  const outcomes: ReconcileOutcome[] = [];
  const entries: LogEntry[] = [];
  const controller = createController<ConfigMap>({
    name: "test",
    for: world.client.resource(ConfigMap).namespace("default"),
    log: (entry) => entries.push(entry),
    clock,
    ...options,
    reconcile(request, context) {
      calls.push(requestKey(request));
      return options.reconcile?.(request, context);
    },
  });
  controller.onReconcile((outcome) => outcomes.push(outcome));
  return { controller, clock, calls, outcomes, entries, maps: world.client.resource(ConfigMap).namespace("default") };
}

/** Returns a ConfigMap. */
export const map = (
  name: string,
  more: Partial<NonNullable<ConfigMap["metadata"]>> = {},
  data: Record<string, string> = {},
): ConfigMap => ({ metadata: { name, ...more }, data });
