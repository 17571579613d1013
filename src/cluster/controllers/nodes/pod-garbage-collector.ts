import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { Node, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { ClusterContext } from "../context.js";
import { disruptPod } from "../shared/disrupt-pod.js";
import { forAll } from "../shared/in-lanes.js";
import { isFinished } from "../shared/pods.js";
import { enqueuePodsOfNode } from "./enqueue-pods.js";
import { readyCondition } from "./node-health.js";

/** Time in milliseconds for which a node must be missing before its pods go. */
const quarantineMs = 40_000;
/** Number of finished pods that a cluster keeps, the default of kube-controller-manager. */
const mostFinished = 12_500;
/** Request to remove finished pods. The requests for pods have a namespace. */
const sweepRequest = { namespace: "", name: "finished-pods" };

/**
 * Creates the controller that removes pods that no kubelet will remove: those of nodes that don't exist any more,
 * deleted ones that were never scheduled or whose node is out of service, and finished ones if there are too many.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection
 */
export function createPodGarbageCollector(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const nodes = context.cache(Node);
  const pods = context.cache(Pod);
  const podsOfNode = enqueuePodsOfNode(pods);
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
        client.resource(Pod),
        enqueueMapped(() => [sweepRequest]),
        {
          predicates: [
            ({ type, object }) => type !== "deleted" && isFinished(object) && pods.store.size > mostFinished,
          ],
        },
      ),
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
    async reconcile({ namespace }, { object: pod, signal }) {
      if (namespace === sweepRequest.namespace) {
        const surplus = surplusPods([...pods.store.values()], mostFinished);
        await forAll(surplus, (each) => disruptPod(each, { client, force: true, nowMs: clock.now(), signal }));
        return undefined;
      }
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

/** Returns the finished pods to remove so that a number of them stays: evicted ones first, then the oldest. */
export function surplusPods(pods: readonly DeepReadonly<Pod>[], kept: number): readonly DeepReadonly<Pod>[] {
  const finished = pods.filter(isFinished);
  if (finished.length <= kept) return [];
  const rank = ({ metadata, status }: DeepReadonly<Pod>): string =>
    [
      status?.phase === "Failed" && status.reason === "Evicted" ? 0 : 1,
      metadata!.creationTimestamp,
      metadata!.name,
    ].join(" ");
  const ranked = finished.map((pod) => ({ pod, rank: rank(pod) })).sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return ranked.slice(0, finished.length - kept).map(({ pod }) => pod);
}
