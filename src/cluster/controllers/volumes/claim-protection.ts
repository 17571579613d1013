import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { PersistentVolumeClaim, Pod } from "../../../kinds/core/v1.js";
import { removeFinalizer } from "../../../objects/finalizers.js";
import type { ClusterContext } from "../context.js";
import { claimNames } from "../shared/claim-names.js";
import { isFinished } from "../shared/pods.js";

const finalizer = "kubernetes.io/pvc-protection";

/**
 * Creates the controller that lets a deleted PersistentVolumeClaim go once no pod uses it.
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
 */
export function createClaimProtectionController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const pods = context.cache(Pod);
  return createController({
    name: "persistentvolumeclaim-protection",
    for: client.resource(PersistentVolumeClaim),
    predicates: [({ object }) => object.metadata?.deletionTimestamp !== undefined],
    watches: [
      kindSource(
        client.resource(Pod),
        enqueueMapped((pod) => claimNames(pod).map((name) => ({ namespace: pod.metadata!.namespace!, name }))),
        { predicates: [({ type, object }) => type === "deleted" || isFinished(object)] },
      ),
    ],
    clock,
    log,
    async reconcile({ namespace, name }, { object: claim, signal }) {
      if (claim?.metadata?.deletionTimestamp === undefined || !claim.metadata.finalizers?.includes(finalizer)) return;
      const used = pods.store.list({ namespace }).some((pod) => !isFinished(pod) && claimNames(pod).includes(name));
      const claims = client.resource(PersistentVolumeClaim).namespace(namespace);
      if (!used) await removeFinalizer(claims, name, finalizer, { signal });
    },
  });
}
