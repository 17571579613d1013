import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { deepEqual } from "../../../internal/deep-equal.js";
import { Node, Pod, type Taint } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { ClusterContext } from "../context.js";
import { disruptPod } from "../shared/disrupt-pod.js";
import { tolerates } from "../shared/node-matching.js";
import { enqueuePodsOfNode } from "./enqueue-pods.js";

/** Eviction of a pod. Later taints don't change its time. */
interface Eviction {
  readonly pod: DeepReadonly<Pod>;
  readonly dueMs: number;
  /** True once the pod has been deleted, which the cache may not show yet. */
  readonly done: boolean;
}

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
  /** Evictions by namespace and name of the pod. */
  const evictions = new Map<string, Eviction>();

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
      const key = `${namespace}/${name}`;
      const lastsMs = pod === undefined ? Number.POSITIVE_INFINITY : toleratedMs(pod, taintsOf(pod));
      const known = evictions.get(key);
      const isSame = known?.pod.metadata?.uid === pod?.metadata?.uid;
      if (known?.done === true && isSame) return undefined;
      if (known !== undefined && (!isSame || !isLimited(lastsMs))) {
        evictions.delete(key);
        const note = `Cancelling deletion of Pod ${key}`;
        if (!known.done) events.event(known.pod, { reason: "TaintManagerEviction", note });
      }
      if (pod === undefined || lastsMs === Number.POSITIVE_INFINITY) return undefined;
      const dueMs = evictions.get(key)?.dueMs ?? clock.now() + lastsMs;
      if (dueMs > clock.now()) {
        evictions.set(key, { pod, dueMs, done: false });
        return { requeueAfterMs: dueMs - clock.now() };
      }
      events.event(pod, { reason: "TaintManagerEviction", note: `Marking for deletion Pod ${key}` });
      const message = "Taint manager: deleting due to NoExecute taint";
      const disruption = { reason: "DeletionByTaintManager", message };
      await disruptPod(pod, { client, disruption, nowMs: clock.now(), signal });
      evictions.set(key, { pod, dueMs, done: true });
      return undefined;
    },
  });
}

function isLimited(milliseconds: number): boolean {
  return milliseconds > 0 && milliseconds < Number.POSITIVE_INFINITY;
}

function evictingTaints(node: DeepReadonly<Node> | undefined): readonly DeepReadonly<Taint>[] {
  return (node?.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
}

/** Returns how long a pod tolerates taints, in milliseconds. Of several tolerations of a taint, the first counts. */
function toleratedMs({ spec }: DeepReadonly<Pod>, taints: readonly DeepReadonly<Taint>[]): number {
  let seconds = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const toleration = spec?.tolerations?.find((each) => tolerates(each, taint));
    if (toleration === undefined) return 0;
    seconds = Math.min(seconds, Math.max(0, toleration.tolerationSeconds ?? Number.POSITIVE_INFINITY));
  }
  return seconds * 1_000;
}
