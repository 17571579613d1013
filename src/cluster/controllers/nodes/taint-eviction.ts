import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { deepEqual } from "../../../internal/deep-equal.js";
import { Node, Pod, type Taint } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { parseTime } from "../../../meta/time.js";
import type { ClusterContext } from "../context.js";
import { disruptPod } from "../shared/disrupt-pod.js";
import { tolerates } from "../shared/node-matching.js";
import { isFinished } from "../shared/pods.js";
import { enqueuePodsOfNode } from "./enqueue-pods.js";

/**
 * Creates the controller that evicts pods from nodes with taints of the effect `NoExecute`: at once, or after the time
 * that the pods tolerate them.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-based-evictions
 */
export function createTaintEvictionController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const nodes = context.cache(Node);
  const events = context.recorder("taint-eviction-controller");
  const taintsOf = (pod: DeepReadonly<Pod>): readonly DeepReadonly<Taint>[] =>
    evictingTaints(nodes.store.get(pod.spec?.nodeName ?? ""));
  /** Pods whose eviction is announced, with the time at which their taints were seen first. */
  const announced = new Map<string, number>();

  return createController({
    name: "taint-eviction",
    for: client.resource(Pod),
    predicates: [({ type, object }) => type === "deleted" || taintsOf(object).length > 0],
    watches: [
      kindSource(client.resource(Node), enqueuePodsOfNode(context.cache(Pod)), {
        predicates: [
          (change) =>
            change.type === "updated"
              ? !deepEqual(evictingTaints(change.object), evictingTaints(change.old))
              : change.type === "added" && evictingTaints(change.object).length > 0,
        ],
      }),
    ],
    concurrency: 8,
    clock,
    log,
    async reconcile({ namespace, name }, { object: pod, signal }) {
      const uid = pod?.metadata?.uid ?? "";
      const dueMs =
        pod === undefined || isGoing(pod) ? undefined : dueAt(pod, taintsOf(pod), announced.get(uid) ?? clock.now());
      if (pod === undefined || dueMs === undefined) {
        if (announced.delete(uid) && pod !== undefined && !isGoing(pod)) {
          const note = `Cancelling deletion of Pod ${namespace}/${name}`;
          events.event(pod, { reason: "TaintManagerEviction", note });
        }
        return undefined;
      }
      if (dueMs === Number.POSITIVE_INFINITY) return undefined;
      if (dueMs > clock.now()) {
        if (!announced.has(uid)) announced.set(uid, clock.now());
        return { requeueAfterMs: dueMs - clock.now() };
      }
      announced.delete(uid);
      const note = `Marking for deletion Pod ${namespace}/${name}`;
      events.event(pod, { reason: "TaintManagerEviction", note });
      const message = "Taint manager: deleting due to NoExecute taint";
      const disruption = { reason: "DeletionByTaintManager", message };
      await disruptPod(pod, { client, disruption, nowMs: clock.now(), signal });
      return undefined;
    },
  });
}

function isGoing(pod: DeepReadonly<Pod>): boolean {
  return isFinished(pod) || pod.metadata?.deletionTimestamp !== undefined;
}

function evictingTaints(node: DeepReadonly<Node> | undefined): readonly DeepReadonly<Taint>[] {
  return (node?.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
}

/**
 * Returns when a pod has to go, in milliseconds since the epoch: infinity if it tolerates all taints for ever, `undefined`
 * without taints. `seenMs` is when its taints were seen first, for those that don't say when they were added.
 */
function dueAt(pod: DeepReadonly<Pod>, taints: readonly DeepReadonly<Taint>[], seenMs: number): number | undefined {
  if (taints.length === 0) return undefined;
  let due = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const tolerations = (pod.spec?.tolerations ?? []).filter((each) => tolerates(each, taint));
    if (tolerations.length === 0) return 0;
    const since = parseTime(taint.timeAdded)?.getTime() ?? seenMs;
    for (const { tolerationSeconds } of tolerations)
      if (tolerationSeconds !== undefined) due = Math.min(due, since + Math.max(0, tolerationSeconds) * 1_000);
  }
  return due;
}
