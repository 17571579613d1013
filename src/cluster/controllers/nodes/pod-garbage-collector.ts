import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { Node, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { ClusterContext } from "../context.js";
import { disruptPod } from "../shared/disrupt-pod.js";
import { enqueuePodsOfNode } from "./enqueue-pods.js";
import { readyCondition } from "./node-health.js";

/** Time in milliseconds for which a node must be missing before its pods go. */
const quarantineMs = 40_000;

/**
 * Creates the controller that removes pods that no kubelet will remove: those of nodes that don't exist any more, and
 * deleted ones that were never scheduled or whose node is out of service.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection
 */
export function createPodGarbageCollector(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const nodes = context.cache(Node);
  const podsOfNode = enqueuePodsOfNode(context.cache(Pod));
  /** Nodes that don't exist, and when that was noticed. */
  const missing = new Map<string, number>();
  const isOrphan = ({ spec }: DeepReadonly<Pod>): boolean =>
    (spec?.nodeName ?? "") !== "" && nodes.store.get(spec!.nodeName!) === undefined;
  /** True for a deleted pod without a kubelet that ends its containers. */
  const isAbandoned = ({ spec, metadata }: DeepReadonly<Pod>): boolean =>
    metadata?.deletionTimestamp !== undefined &&
    ((spec?.nodeName ?? "") === "" || isOutOfService(nodes.store.get(spec!.nodeName!)));

  return createController({
    name: "pod-garbage-collector",
    for: client.resource(Pod),
    predicates: [({ type, object }) => type !== "deleted" && (isOrphan(object) || isAbandoned(object))],
    watches: [
      kindSource(
        client.resource(Node),
        (change) => {
          // The next node of this name has a quarantine of its own.
          if (change.type !== "updated") missing.delete(change.object.metadata!.name!);
          return change.type === "deleted" || isOutOfService(change.object) ? podsOfNode(change) : [];
        },
        { predicates: [({ type, object }) => type !== "updated" || isOutOfService(object)] },
      ),
    ],
    clock,
    log,
    async reconcile(_request, { object: pod, signal }) {
      if (pod === undefined) return undefined;
      if (isAbandoned(pod)) {
        // A Job with a failure policy waits for the phase before it lets the pod go.
        await disruptPod(pod, { client, force: true, nowMs: clock.now(), signal });
        return undefined;
      }
      const node = pod.spec?.nodeName ?? "";
      if (!isOrphan(pod)) {
        missing.delete(node);
        return undefined;
      }
      const since = missing.get(node) ?? clock.now();
      missing.set(node, since);
      const remainingMs = since + quarantineMs - clock.now();
      if (remainingMs > 0) return { requeueAfterMs: remainingMs };
      const disruption = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };
      await disruptPod(pod, { client, disruption, force: true, nowMs: clock.now(), signal });
      return undefined;
    },
  });
}

/** True for a node that an administrator has declared to be shut down, and that doesn't answer. */
function isOutOfService(node: DeepReadonly<Node> | undefined): boolean {
  return (
    node?.spec?.taints?.some(({ key }) => key === "node.kubernetes.io/out-of-service") === true &&
    readyCondition(node)?.status !== "True"
  );
}
