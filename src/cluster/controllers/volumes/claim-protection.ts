import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { PersistentVolumeClaim, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { addFinalizer, hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../objects/finalizers.js";
import { getControllerOwner } from "../../../objects/owner-references.js";
import type { ClusterContext } from "../context.js";
import { claimName, claimNames } from "../shared/claim-names.js";

const finalizer = "kubernetes.io/pvc-protection";

/**
 * Creates the controller that keeps a finalizer on each PersistentVolumeClaim until it is deleted and no pod uses it.
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
 */
export function createClaimProtectionController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const pods = context.cache(Pod);
  return createController({
    name: "persistentvolumeclaim-protection",
    for: client.resource(PersistentVolumeClaim),
    predicates: [({ object }) => isBeingDeleted(object) === hasFinalizer(object, finalizer)],
    watches: [
      kindSource(
        client.resource(Pod),
        enqueueMapped((pod) => claimNames(pod).map((name) => ({ namespace: pod.metadata!.namespace!, name }))),
        { predicates: [({ type, object }) => type === "deleted" || isShutDown(object)] },
      ),
    ],
    clock,
    log,
    async reconcile({ namespace, name }, { object: claim, signal }) {
      if (claim === undefined) return;
      const claims = client.resource(PersistentVolumeClaim).namespace(namespace);
      if (!isBeingDeleted(claim)) {
        if (!hasFinalizer(claim, finalizer)) await addFinalizer(claims, name, finalizer, { signal });
        return;
      }
      const used = pods.store.list({ namespace }).some((pod) => isInUse(claim, pod));
      if (!used && hasFinalizer(claim, finalizer)) await removeFinalizer(claims, name, finalizer, { signal });
    },
  });
}

/**
 * Returns true for a claim that a pod on a node uses, also after the pod has ended. A pod with an ephemeral volume uses only
 * the claim that was made for it, and not one that merely has its name, until its kubelet lets it go.
 */
function isInUse({ metadata }: DeepReadonly<PersistentVolumeClaim>, pod: DeepReadonly<Pod>): boolean {
  if (pod.spec?.nodeName === undefined) return false;
  return (pod.spec.volumes ?? []).some((volume) => {
    if (claimName(pod, volume) !== metadata?.name) return false;
    if (volume.ephemeral === undefined) return true;
    return !isShutDown(pod) && getControllerOwner({ metadata })?.uid === pod.metadata?.uid;
  });
}

/** Returns true for a deleted pod that its kubelet is done with, and that finalizers keep. */
function isShutDown({ metadata }: DeepReadonly<Pod>): boolean {
  return metadata?.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}
