import type { Informer } from "../../../cache/informer/informer.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import type { ReconcileRequest } from "../../../controller/reconcile/reconcile-request.js";
import type { Source } from "../../../controller/reconcile/source.js";
import { deepEqual } from "../../../internal/deep-equal.js";
import { Pod, type Service } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { ClusterContext } from "../context.js";
import { isReady } from "../shared/pods.js";
import { addressesOf, selects } from "./service-endpoints.js";

/** Returns a source that enqueues the Services whose endpoints a change of a pod concerns. */
export function servicesOfPods({ client }: ClusterContext, services: Informer<Service>): Source {
  return kindSource(
    client.resource(Pod),
    enqueueMapped((pod) => {
      const selecting: ReconcileRequest[] = [];
      for (const service of services.store.values()) {
        const { namespace = "", name = "" } = service.metadata ?? {};
        if (namespace === pod.metadata!.namespace && selects(service, pod)) selecting.push({ namespace, name });
      }
      return selecting;
    }),
    {
      predicates: [(change) => change.type !== "updated" || !deepEqual(traits(change.object), traits(change.old))],
    },
  );
}

/** Returns what endpoints show of a pod. */
function traits(pod: DeepReadonly<Pod>): unknown {
  const { labels, deletionTimestamp } = pod.metadata ?? {};
  return [labels, deletionTimestamp !== undefined, isReady(pod), addressesOf(pod), pod.spec?.nodeName];
}
