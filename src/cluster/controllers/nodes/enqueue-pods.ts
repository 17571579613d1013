import type { Informer } from "../../../cache/informer/informer.js";
import { type EventHandler, enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import type { Node, Pod } from "../../../kinds/core/v1.js";

/** Returns a handler that enqueues the pods of a changed node. */
export function enqueuePodsOfNode(pods: Informer<Pod>): EventHandler<Node> {
  return enqueueMapped(({ metadata }) =>
    pods.store
      .list()
      .filter(({ spec }) => spec?.nodeName === metadata!.name)
      .map((pod) => ({ namespace: pod.metadata!.namespace!, name: pod.metadata!.name! })),
  );
}
