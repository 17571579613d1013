import type { Informer } from "../../../cache/informer/informer.js";
import { type EventHandler, enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { DeepReadonly, KubernetesObject } from "../../../meta/object.js";
import { matchesLabelSelector } from "../../../objects/label-selectors.js";
import { getControllerOwner } from "../../../objects/owner-references.js";

/**
 * Returns a handler that enqueues the workloads that may adopt an object: those of its namespace whose selector
 * matches, if the object has no controller. `selectorOf` reads the selector of a workload.
 */
export function enqueueAdopters<W extends KubernetesObject, T extends KubernetesObject>(
  { store }: Pick<Informer<W>, "store">,
  selectorOf: (workload: DeepReadonly<W>) => DeepReadonly<LabelSelector> | undefined,
): EventHandler<T> {
  return enqueueMapped(({ metadata }) => {
    const { namespace = "", labels } = metadata!;
    if (getControllerOwner({ metadata: metadata! }) !== undefined) return [];
    return store
      .list({ namespace })
      .filter((workload) => matchesLabelSelector(selectorOf(workload), labels))
      .map((workload) => ({ namespace, name: workload.metadata!.name! }));
  });
}
