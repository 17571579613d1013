import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { isConflict, isNotFound } from "../../../errors/predicates.js";
import { Job } from "../../../kinds/batch/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { parseTime } from "../../../meta/time.js";
import type { ClusterContext } from "../context.js";

/**
 * Creates the controller that deletes Jobs when `spec.ttlSecondsAfterFinished` has passed since their end.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/ttlafterfinished/
 */
export function createTtlAfterFinishedController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  return createController({
    name: "ttl-after-finished",
    for: client.resource(Job),
    predicates: [({ type, object }) => type !== "deleted" && expiryMs(object) !== undefined],
    clock,
    log,
    async reconcile({ namespace, name }, { object: job, signal }) {
      const expires = job?.metadata?.deletionTimestamp === undefined && job !== undefined ? expiryMs(job) : undefined;
      if (job === undefined || expires === undefined) return undefined;
      if (expires > clock.now()) return { requeueAfterMs: expires - clock.now() };
      const { uid = "", resourceVersion = "" } = job.metadata ?? {};
      const jobs = client.resource(Job).namespace(namespace);
      // A change since could have prolonged its life.
      const preconditions = { uid, resourceVersion };
      await jobs.delete(name, { propagationPolicy: "Foreground", preconditions, signal }).catch((error: unknown) => {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      });
      return undefined;
    },
  });
}

/** Returns when a finished Job expires, in milliseconds since the epoch; `undefined` for one that doesn't. */
function expiryMs({ spec, status }: DeepReadonly<Job>): number | undefined {
  const end = status?.conditions?.find(
    (each) => (each.type === "Complete" || each.type === "Failed") && each.status === "True",
  );
  const endMs = parseTime(end?.lastTransitionTime)?.getTime();
  if (endMs === undefined || spec?.ttlSecondsAfterFinished === undefined) return undefined;
  return endMs + spec.ttlSecondsAfterFinished * 1_000;
}
